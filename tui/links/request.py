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
from tui.links.follower.followed import LOG_BACKLOG
from tui.links.follower.wire import PREFIX
from tui.runs import files

PACKAGE = "tui.links.follower"
_FOLDER = Path(__file__).with_name("follower")
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
    os.execv("/bin/sh", ["/bin/sh", "-c", {fallback!r}])
SOURCES = {sources!r}
LATER = {later!r}
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
from tui.links.follower.main import main
main({marker!r}, sys.stdin.buffer.readline())
"""
"""Gives python modules from memory; those of the second part are read when one is wanted."""

_FIRST = frozenset(
    {"main", "wire", "disk", "request", "search", "followed", "runs", "following", "loop"}
)
"""What is needed to send every status: small enough for a connection's first flight (14 kB)."""

_SHELL_END = "@END"
MAX_SHELL_TOKENS = 150
"""One word of a command line holds 128 kB: tokens beyond this are left out, files begin anew."""

MAX_SHELL_RUNS = 100

_DOCSTRING = re.compile(r'^ *"""(?:[^"]|"(?!""))*"""\n', re.MULTILINE)
_COMMENT = re.compile(r"^ *#.*\n|^\n", re.MULTILINE)
_RETURNED = re.compile(r"\) -> [^\n]*:$", re.MULTILINE)
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
        'case "$q" in */shims/*|*/python)'
        f'q=$("$q" -S -E -c "{_PROBE}" 2>/dev/null </dev/null)||continue;'
        '[ -n "$q" ]||continue;;esac;'
        f'exec "$q" -S -E -u -c "$B";done;{_ask_for_shell(marker)}'
    )
    return f"exec /bin/sh -c '{script}'"


def python_input(request: FollowRequest, marker: str, machine: bool = True) -> bytes:
    """Return what python reads, a line each: the program, the request, the program's rest.

    ``machine`` False follows files alone: they are copies of another box's.
    """
    lines = (_program(marker), request_line(request, machine), _second_part())
    return b"".join(line + b"\n" for line in lines)


def sh_input(request: FollowRequest, marker: str, machine: bool = True) -> bytes:
    """Return what a shell reads that asked for its source: a loader's line, then the source."""
    source = sh_settings(request, marker, machine) + _shell_source()
    loader = (
        r"N=$(printf '\n.');N=${N%.};S=;"
        f'while IFS= read -r l&&[ "$l" != {_SHELL_END} ];do S=$S$l$N;done;'
        'LC_ALL=C;export LC_ALL;exec /bin/sh -c "$S"'
    )
    text = f"{SHELL_MARK}{loader}\n{source}\n{_SHELL_END}\n"
    return text.encode("utf-8", "surrogateescape")


def sh_settings(request: FollowRequest, marker: str, machine: bool) -> str:
    """Return the lines that set what the sh follower is told, every value quoted."""
    from tui.links.follower.gpus import PLACES, QUERY

    rest = [name for name in files.REPLACED if name != files.STATUS]
    grown = [name for name in files.APPENDED if name not in files.TAILED]
    logs = [name for name in files.APPENDED if name in files.TAILED]
    tokens = list(request.resume.items())[-MAX_SHELL_TOKENS:]
    values: dict[str, object] = {
        "M": marker,
        "STATUS": files.STATUS,
        "LOG": files.LOG,
        "CONSOLE": files.CONSOLE,
        "WEIGHTS": files.WEIGHTS,
        "SUFFIX": files.CHECKPOINT_SUFFIX,
        "MARKERS": " ".join(files.MARKERS),
        "PRUNED": " ".join(files.PRUNED),
        "REPLACED": " ".join(rest),
        "APPENDED": " ".join(grown),
        "TAILED": " ".join(logs),
        "DEPTH": files.SEARCH_DEPTH,
        "TAIL": files.LOG_TAIL_BYTES,
        "BACKLOG": LOG_BACKLOG,
        "REPLACED_LIMIT": files.REPLACED_MAX_BYTES,
        "MAX_RUNS": MAX_SHELL_RUNS,
        "GPU_QUERY": " ".join(QUERY),
        "BEAT": int(HEARTBEAT_SECONDS) - 1,
        "SILENCE": int(SILENCE_SECONDS),
        "VITALS": max(1, round(request.vitals_seconds)),
        "SEARCH": max(1, round(request.search_seconds)),
        "only": request.only or "",
        "once": "1" if request.once else "",
        "machine": "1" if machine else "",
        "wanted_console": request.console or "",
        "TOKENS": len(tokens),
        "CONSOLES": len(request.consoles),
    }
    for number, ((path, name), token) in enumerate(tokens, 1):
        values[f"t_path_{number}"] = path
        values[f"t_name_{number}"] = name
        values[f"t_token_{number}"] = " ".join(str(value) for value in _token_values(token))
    for number, (path, console) in enumerate(request.consoles.items(), 1):
        values[f"c_run_{number}"] = path
        values[f"c_path_{number}"] = console
    lines = [f"{name}={shell_quoted(str(value))}" for name, value in values.items()]
    lines.append(f"PATH=$PATH:{':'.join(PLACES)}:/bin:/sbin:/usr/sbin")
    lines.append("set -- " + " ".join(shell_quoted(root) for root in request.roots))
    return "\n".join(lines) + "\n"


def shell_quoted(text: str) -> str:
    """Return text as one word of any POSIX shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def request_line(request: FollowRequest, machine: bool = True) -> bytes:
    """Return the request as the program understands it, in one line of ASCII."""
    document = {
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
            "markers": files.MARKERS,
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
            (path, name, *_token_values(token)) for (path, name), token in request.resume.items()
        ],
    }
    return json.dumps(document, separators=(",", ":")).encode("ascii")


def _token_values(token: ResumeToken) -> tuple[int | str, ...]:
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


def _packed(text: str) -> bytes:
    return binascii.b2a_base64(zlib.compress(text.encode("utf-8"), 9), newline=False)


def _program(marker: str) -> bytes:
    first, later = _sources()
    text = _PROLOGUE.format(
        sources=first, later=set(later), fallback=_ask_for_shell(marker), marker=marker
    )
    return _packed(text)


def _second_part() -> bytes:
    return _packed(repr(_sources()[1]))


@cache
def _sources() -> tuple[dict[str, str], dict[str, str]]:
    """Return the modules that run on the box, in two parts; packages are empty."""
    first = {"tui": "", "tui.links": "", PACKAGE: ""}
    later: dict[str, str] = {}
    for entry in _FOLDER.iterdir():
        name, _, kind = entry.name.partition(".")
        if kind == "py" and name != "__init__":
            part = first if name in _FIRST else later
            part[f"{PACKAGE}.{name}"] = _bare(entry.read_text("utf-8"))
    return first, later


def _bare(source: str) -> str:
    """Return a source without what only people and type checkers read."""
    source = _COMMENT.sub("", _DOCSTRING.sub("", source))
    return _ANNOTATED.sub("", _RETURNED.sub("):", source))


@cache
def _shell_source() -> str:
    """Return the sh follower without what only people read."""
    text = (_FOLDER / "follower.sh").read_text("utf-8")
    return re.sub(r"^\t*#.*\n|^\n", "", text, flags=re.MULTILINE)
