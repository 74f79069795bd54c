"""Another python of this machine that has huggingface_hub: training's own, most often.

A login without a terminal finds the system's python, while the client lies in the environment that
trains. The program then goes on in that one: same process, same connection, nothing installed. Its
source and the request travel through a pipe, so that the token is in no file and no argv.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tui.onbox.hub_client import PACKAGE, is_installed, packages_directory, see_packages

PLACES = (
    "/venv/main/bin/python3",
    "/opt/venv/bin/python3",
    "/opt/conda/bin/python3",
    "~/miniconda3/bin/python3",
    "~/anaconda3/bin/python3",
    "/usr/local/bin/python3",
    "/usr/bin/python3",
)
MAX_TRIED = 12
TRY_SECONDS = 15.0
TRY = (
    "import sys; sys.path[:0] = sys.argv[1:]; import huggingface_hub.hf_api;"
    " sys.exit(sys.version_info < (3, 8))"
)
READ = "import os,sys;exec(os.fdopen(int(sys.argv[1]),'rb').read());main(LINE)"

PROGRAM = """\
import os, sys
SOURCES = {sources!r}
LINE = {line!r}
Spec = type(sys.__spec__)
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name in SOURCES:
            return Spec(name, self, is_package=not SOURCES[name])
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        exec(compile(SOURCES[module.__name__], module.__name__, "exec"), module.__dict__)
sys.meta_path.insert(0, Finder())
os.wait()
from tui.onbox.hub import main
"""


def here() -> bool:
    """Whether this python has the client, or one that works was installed beside it."""
    see_packages()
    if importlib.util.find_spec(PACKAGE) is not None:
        return True
    return is_installed() and _has_client(sys.executable, str(packages_directory()))


def elsewhere(first: list[str], beat: Callable[[], None]) -> str | None:
    """Return a python that has the client: one of ``first``, of a running program, of the usual.

    ``beat`` is called before each that is tried, which takes up to TRY_SECONDS.
    """
    tried = {os.path.abspath(sys.executable)}
    for python in _candidates(first):
        if len(tried) > MAX_TRIED:
            return None
        path = os.path.abspath(python)
        if path not in tried and os.access(path, os.X_OK):
            tried.add(path)
            beat()
            if _has_client(path):
                return path
    return None


def go_on(python: str, line: bytes) -> None:
    """Go on in another python with this request line. Returns only when that cannot be begun."""
    program = PROGRAM.format(sources=_sources(), line=line).encode("utf-8")
    reading, writing = os.pipe()
    if os.fork() == 0:
        try:
            os.close(reading)
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(program)
        finally:
            os._exit(0)
    os.close(writing)
    os.set_inheritable(reading, True)
    try:
        os.execv(python, [python, "-E", "-u", "-c", READ, str(reading)])
    except OSError:
        os.close(reading)


def _candidates(first: list[str]) -> Iterator[str]:
    yield from first
    for process in sorted(Path("/proc").glob("[0-9]*")):
        yield from _of_process(process)
    for place in PLACES:
        yield str(Path(place).expanduser())


def _of_process(process: Path) -> list[str]:
    """Return the pythons of a running program of this user: as it was called, and by its venv."""
    try:
        if process.stat().st_uid != os.getuid():
            return []
        called = (process / "cmdline").read_bytes().split(b"\0")[0]
        environment = (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return []
    found = []
    if called.startswith(b"/") and os.path.basename(called).startswith(b"python"):
        found.append(os.fsdecode(called))
    for value in environment:
        name, _, prefix = value.partition(b"=")
        if name in (b"VIRTUAL_ENV", b"CONDA_PREFIX") and prefix.startswith(b"/"):
            found.append(os.fsdecode(prefix) + "/bin/python3")
    return found


def _has_client(python: str, *places: str) -> bool:
    try:
        done = subprocess.run(
            [python, "-E", "-c", TRY, *places],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=TRY_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _sources() -> dict[str, str]:
    """Return the source of every module of this program; packages are empty."""
    sources = {"tui": "", "tui.onbox": ""}
    given = getattr(sys.modules["__main__"], "SOURCES", {})
    for name in [*sys.modules, "tui.onbox.hub"]:
        if name.startswith("tui.onbox."):
            sources[name] = given.get(name) or _on_disk(name)
    return sources


def _on_disk(name: str) -> str:
    spec = importlib.util.find_spec(name)
    return Path(str(spec.origin)).read_text("utf-8") if spec and spec.origin else ""
