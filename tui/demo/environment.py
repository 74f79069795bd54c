"""What a process on a demo box sees of the world: its own home and search path."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from tui.demo.sandbox import MARK, Sandbox

USER = "demo"
"""The only user of a demo box."""

_KEPT = ("LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH")
_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"


def box_environment(sandbox: Sandbox, home: Path) -> dict[str, str]:
    """The environment of every command on the box whose home is ``home``; makes the home.

    ``python3`` on the box is the Python that runs boxtop, so the demo needs no other.
    """
    tools = home / ".demo" / "bin"
    temporary = home / ".demo" / "tmp"
    for directory in (tools, temporary):
        directory.mkdir(parents=True)
    python = tools / "python3"
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {
        **kept,
        "HOME": str(home),
        "LOGNAME": USER,
        "USER": USER,
        "SHELL": "/bin/sh",
        "PATH": f"{tools}:{_SYSTEM_PATH}",
        "TMPDIR": str(temporary),
        MARK: str(sandbox.path),
    }
