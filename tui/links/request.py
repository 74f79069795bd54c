"""What goes to the box: one command line that any login shell takes, the source, the request."""

from __future__ import annotations

import binascii
import json
import os
import re
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tui.links.base import HEARTBEAT_SECONDS, FollowRequest, ResumeToken
from tui.links.follower.wire import PREFIX
from tui.runs import files

PACKAGE = "tui.links.follower"
FOLDER = Path(__file__).with_name("follower")
PING = b"ping\n"
PING_SECONDS = 15.0

SILENCE_SECONDS = 60.0
"""The follower ends when no ping came for so long: sshd keeps dead sessions for half an hour."""

SHELL_MARK = "s:"
"""Starts the one line that a shell waiting for its source takes; every other line is skipped."""

PLACES = (
    "python3",
    "/usr/bin/python3",
    "/usr/local/bin/python3",
    "/opt/conda/bin/python3",
    "/opt/venv/bin/python3",
    "/venv/main/bin/python3",
    "$HOME/miniconda3/bin/python3",
    "$HOME/anaconda3/bin/python3",
    "python",
)

BOOT = (
    "import sys,zlib,binascii;"
    "exec(zlib.decompress(binascii.a2b_base64(sys.stdin.buffer.readline())))"
)
"""What python is given with ``-c``: the first line of its input is the program."""

_PROBE = "import sys;sys.version_info>(3,5)and print(sys.executable)"

_PROLOGUE = """\
import os, sys
if sys.version_info < (3, 6):
    marker = eval(sys.stdin.buffer.readline(), {{"null": 0, "true": 0, "false": 0}})["marker"]
    os.execv("/bin/sh", ["/bin/sh", "-c", {fallback!r} % marker])
SOURCES = {sources!r}
LATER = {later!r}
{loader}
from tui.links.follower.main import main
main(sys.stdin.buffer.readline())
"""
"""Starts the follower; the modules of the second part are read when one is wanted."""

LOADER = """\
Spec = type(sys.__spec__)
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name in LATER:
            LATER.clear()
            line = sys.stdin.buffer.readline()
            SOURCES.update(eval(zlib.decompress(binascii.a2b_base64(line))))
        if name in SOURCES:
            return Spec(name, self, is_package=not SOURCES[name])
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        exec(compile(SOURCES[module.__name__], module.__name__, "exec"), module.__dict__)
sys.meta_path.insert(0, Finder())
"""
"""Gives python the modules of SOURCES from memory; a name in LATER makes it read further ones."""

_FIRST = frozenset(
    {"main", "wire", "disk", "request", "search", "followed", "appended", "tailed", "runs"}
    | {"following", "loop"}
)
"""What is needed to send every status: small enough for a connection's first flight (14 kB)."""

_DOCSTRING = re.compile(r'^ *"""(?:[^"]|"(?!""))*"""\n', re.MULTILINE)
_COMMENT = re.compile(r"^ *#.*\n|^\n", re.MULTILINE)
_RETURNED = re.compile(r"\) -> [^\n]*:$", re.MULTILINE)
_DEFINITION = re.compile(r"^ *def \w+\([^)]*\):$", re.MULTILINE)
_INDENT = re.compile(r"^(?:    )+", re.MULTILINE)
_PARAMETER = re.compile(r'(?<=[(, ])(\w+): (?:"[^"\n]*"|[A-Za-z]+)(?=[,)]|,?$)', re.MULTILINE)
_ANNOTATED = re.compile(r': "[^"\n]*"(?= = )')


def new_marker() -> str:
    """Return the random word that tells one connection's frames from anything else."""
    return os.urandom(8).hex()


def command(marker: str, pythons: Sequence[str] = PLACES) -> str:
    """Return the command line that starts a follower under any login shell.

    It holds no single quote, backslash, exclamation mark or newline within its quotes, so that sh,
    bash, zsh, fish, csh and tcsh all hand it to ``/bin/sh`` unchanged. A python behind a version
    manager's shim, or merely called ``python``, is asked first what it is.
    """
    places = " ".join(f'"{place}"' for place in pythons)
    script = (
        f'B="{BOOT}";for p in {places};do q=$(command -v "$p" 2>/dev/null)||continue;'
        'case "$q" in /*)[ -x "$q" ]||continue;;esac;'
        'case "$q" in */shims/*|*/python)'
        f'q=$("$q" -S -E -c "{_PROBE}" 2>/dev/null </dev/null)||continue;'
        '[ -n "$q" ]||continue;;esac;'
        f'exec "$q" -S -E -u -c "$B";done;{_ask_for_shell(marker)}'
    )
    return f"exec /bin/sh -c '{script}'"


def prepare() -> None:
    """Make what every connection sends, once: some milliseconds that fit into a wait."""
    _program()
    _second_part()


def python_input(request: FollowRequest, marker: str, machine: bool = True) -> bytes:
    """Return what python reads, a line each: the program, the request, the program's rest.

    ``machine`` False follows files alone: they are copies of another box's.
    """
    lines = (_program(), request_line(request, machine, marker), _second_part())
    return b"".join(line + b"\n" for line in lines)


def request_line(request: FollowRequest, machine: bool = True, marker: str = "") -> bytes:
    """Return the request as the program understands it, in one line of ASCII."""
    document = {
        "marker": marker,
        "roots": request.roots,
        "only": request.only,
        "console": request.console,
        "consoles": request.consoles,
        "once": request.once,
        "machine": machine,
        "names": {
            "status": files.STATUS,
            "log": files.LOG,
            "console": files.CONSOLE,
            "weights": files.WEIGHTS,
            "checkpoint": files.CHECKPOINT_SUFFIX,
            "markers": request.markers,
            "replaced": files.REPLACED,
            "appended": files.APPENDED,
            "tailed": files.TAILED,
            "pruned": files.PRUNED,
        },
        "limits": {
            "depth": files.SEARCH_DEPTH,
            "tail": files.LOG_TAIL_BYTES,
            "replaced": files.REPLACED_MAX_BYTES,
            "beat": HEARTBEAT_SECONDS,
            "silence": SILENCE_SECONDS,
            "vitals": request.vitals_seconds,
            "search": request.search_seconds,
        },
        "resume": [
            (path, name, *token_values(token)) for (path, name), token in request.resume.items()
        ],
    }
    return json.dumps(document, separators=(",", ":")).encode("ascii")


def token_values(token: ResumeToken) -> tuple[int | str, ...]:
    """Return a token in the order in which both followers read it."""
    place = (token.offset, token.device, token.inode)
    return (*place, token.head, token.head_size, token.tail, token.tail_size)


def _ask_for_shell(marker: str) -> str:
    """Return shell text that sends the one frame asking for the sh source, and runs what comes."""
    return (
        f'M={marker};echo "{PREFIX.decode()}$M sh";echo;'
        f'while IFS= read -r l;do case "$l" in {SHELL_MARK}*)break;;esac;done;'
        f'eval "${{l#{SHELL_MARK}}}"'
    )


def packed(text: str) -> bytes:
    """Return a program as the one line that BOOT reads."""
    return binascii.b2a_base64(zlib.compress(text.encode("utf-8"), 9), newline=False)


@cache
def _program() -> bytes:
    first, later = _sources()
    fallback = _ask_for_shell("%s")
    return packed(
        _PROLOGUE.format(sources=first, later=set(later), loader=LOADER, fallback=fallback)
    )


@cache
def _second_part() -> bytes:
    return packed(repr(_sources()[1]))


@cache
def _sources() -> tuple[dict[str, str], dict[str, str]]:
    """Return the modules that run on the box, in two parts; packages are empty."""
    first = {"tui": "", "tui.links": "", PACKAGE: ""}
    later: dict[str, str] = {}
    for entry in FOLDER.iterdir():
        name, _, kind = entry.name.partition(".")
        if kind == "py" and name != "__init__":
            part = first if name in _FIRST else later
            part[f"{PACKAGE}.{name}"] = _bare(entry.read_text("utf-8"))
    return first, later


def _bare(source: str) -> str:
    """Return a source without what only people and type checkers read."""
    source = _COMMENT.sub("", _DOCSTRING.sub("", source))
    source = _ANNOTATED.sub("", _RETURNED.sub("):", source))
    source = _DEFINITION.sub(lambda found: _PARAMETER.sub(r"\1", found[0]), source)
    return _INDENT.sub(lambda found: " " * (len(found[0]) // 4), source)
