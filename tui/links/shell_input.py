"""What a box without python gets: a loader's line, settings, and the follower in POSIX sh."""

from __future__ import annotations

import re
from functools import cache
from posixpath import normpath

from tui.links.base import HEARTBEAT_SECONDS, FollowRequest
from tui.links.follower.tailed import LOG_BACKLOG
from tui.links.request import FOLDER, SHELL_MARK, SILENCE_SECONDS, token_values
from tui.runs import files

END_LINE = "@END"

MAX_TOKENS = 150
"""One word of a command line holds 128 kB: tokens beyond this are left out, files begin anew."""

MAX_RUNS = 100


def sh_input(request: FollowRequest, marker: str, machine: bool = True) -> bytes:
    """Return what a shell reads that asked for its source: a loader's line, then the source."""
    source = settings(request, marker, machine) + _source()
    loader = (
        r"N=$(printf '\n.');N=${N%.};S=;"
        f'while IFS= read -r l&&[ "$l" != {END_LINE} ];do S=$S$l$N;done;'
        'LC_ALL=C;export LC_ALL;exec /bin/sh -c "$S"'
    )
    text = f"{SHELL_MARK}{loader}\n{source}\n{END_LINE}\n"
    return text.encode("utf-8", "surrogateescape")


def settings(request: FollowRequest, marker: str, machine: bool) -> str:
    """Return the lines that set what the sh follower is told, every value quoted."""
    from tui.links.follower.gpus import PLACES

    values: dict[str, object] = {"M": marker, **_names(), **_limits(request)}
    values["MARKERS"] = " ".join(request.markers)
    values["only"] = request.only or ""
    values["once"] = "1" if request.once else ""
    values["machine"] = "1" if machine else ""
    values["wanted_console"] = request.console or ""
    values.update(_known(request))
    lines = [f"{name}={shell_quoted(str(value))}" for name, value in values.items()]
    lines.append(f"PATH=$PATH:{':'.join(PLACES)}:/bin:/sbin:/usr/sbin")
    lines.append("set -- " + " ".join(shell_quoted(_plain(root)) for root in request.roots))
    return "\n".join(lines) + "\n"


def _plain(root: str) -> str:
    """Return a root as the follower in python names it: without ``..`` and doubled slashes."""
    return normpath(root).replace("//", "/") if root.startswith("/") else root


def _names() -> dict[str, object]:
    """Return the files of a run, each kind in the order of sending."""
    rest = [name for name in files.REPLACED if name != files.STATUS]
    grown = [name for name in files.APPENDED if name not in files.TAILED]
    logs = [name for name in files.APPENDED if name in files.TAILED]
    return {
        "STATUS": files.STATUS,
        "LOG": files.LOG,
        "CONFIG": files.CONFIG,
        "CONSOLE": files.CONSOLE,
        "WEIGHTS": files.WEIGHTS,
        "SUFFIX": files.CHECKPOINT_SUFFIX,
        "PRUNED": " ".join(files.PRUNED),
        "REPLACED": " ".join(rest),
        "APPENDED": " ".join(grown),
        "TAILED": " ".join(logs),
    }


def _limits(request: FollowRequest) -> dict[str, object]:
    """Return sizes in bytes and times in whole seconds: a shell counts no others."""
    from tui.links.follower.gpus import QUERY

    return {
        "DEPTH": files.SEARCH_DEPTH,
        "TAIL": files.LOG_TAIL_BYTES,
        "BACKLOG": LOG_BACKLOG,
        "REPLACED_LIMIT": files.REPLACED_MAX_BYTES,
        "MAX_RUNS": MAX_RUNS,
        "GPU_QUERY": " ".join(QUERY),
        "BEAT": int(HEARTBEAT_SECONDS) - 1,
        "SILENCE": int(SILENCE_SECONDS),
        "VITALS": max(1, round(request.vitals_seconds)),
        "SEARCH": max(1, round(request.search_seconds)),
    }


def _known(request: FollowRequest) -> dict[str, object]:
    """Return what the watching side knows: where files go on, and console logs."""
    tokens = list(request.resume.items())[-MAX_TOKENS:]
    values: dict[str, object] = {"TOKENS": len(tokens), "CONSOLES": len(request.consoles)}
    for number, ((path, name), token) in enumerate(tokens, 1):
        values[f"t_path_{number}"] = path
        values[f"t_name_{number}"] = name
        values[f"t_token_{number}"] = " ".join(str(value) for value in token_values(token))
    for number, (path, console) in enumerate(request.consoles.items(), 1):
        values[f"c_run_{number}"] = path
        values[f"c_path_{number}"] = console
    return values


def shell_quoted(text: str) -> str:
    """Return text as one word of any POSIX shell."""
    return "'" + text.replace("'", "'\\''") + "'"


@cache
def _source() -> str:
    """Return the sh follower without what only people read; its main part comes last."""
    parts = sorted(
        (FOLDER / "sh").glob("*.sh"), key=lambda part: (part.name == "main.sh", part.name)
    )
    text = "".join(part.read_text("utf-8") for part in parts)
    return re.sub(r"^\t*#.*\n|^\n", "", text, flags=re.MULTILINE)
