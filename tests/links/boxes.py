"""Boxes to follow in tests: this machine seen with a chosen shell and a chosen set of tools."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.links.received import Received
from tui.facts import Fact
from tui.links.base import FollowRequest
from tui.links.pipe import FollowerPipe
from tui.links.process_pipe import ProcessPipe
from tui.links.request import command, new_marker

FEWEST_TOOLS = ("tail", "head", "wc", "ls", "df", "sleep")
USUAL_TOOLS = (
    *FEWEST_TOOLS,
    *("dd", "stat", "date", "sha256sum", "tr", "readlink", "id", "uname", "getconf", "timeout"),
)


@dataclass(frozen=True)
class Kind:
    """What runs the follower: ``shell`` is the box's /bin/sh, ``tools`` is all that is on PATH."""

    name: str
    shell: Path
    path: Path

    def command(self, marker: str) -> str:
        return command(marker, ("python3",)).replace("/bin/sh", str(self.shell))


def make_kind(name: str, directory: Path) -> Kind:
    """Return a kind of box by name: python, dash, busybox, or fewest (dash, six tools)."""
    tools = directory / f"tools-{name}"
    tools.mkdir()
    shell = _program("dash")
    if name == "python":
        (tools / "python3").symlink_to(_python())
    elif name == "busybox":
        busybox = _program("busybox")
        shell = tools / "sh"
        for tool in (*USUAL_TOOLS, "sh"):
            (tools / tool).symlink_to(busybox)
    else:
        for tool in FEWEST_TOOLS if name == "fewest" else USUAL_TOOLS:
            (tools / tool).symlink_to(_program(tool))
    if name != "busybox":
        (tools / "sh").symlink_to(shell)
    return Kind(name, shell, tools)


def _python() -> Path:
    """Return a python that other users may run too, where there is one."""
    system = Path("/usr/bin/python3")
    return system if system.exists() else Path(sys.executable).resolve()


def _program(name: str) -> Path:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed (apt-get install {name})")
    return Path(found)


class RenamedShell:
    """A pipe to a box whose /bin/sh lies elsewhere, and that has no tools but those on its PATH."""

    def __init__(self, pipe: ProcessPipe, shell: Path) -> None:
        self._pipe = pipe
        self._shell = os.fsencode(shell)
        self.sent_back = 0

    @property
    def errors(self) -> str:
        return self._pipe.errors

    def read(self, timeout: float) -> bytes:
        data = self._pipe.read(timeout)
        self.sent_back += len(data)
        return data

    def write(self, data: bytes) -> None:
        data = data.replace(b"/bin/sh", self._shell)
        self._pipe.write(data.replace(b"\nPATH=$PATH:", b"\nELSEWHERE="))

    def close(self) -> None:
        self._pipe.close()


@dataclass
class Following:
    """A live follower: facts are taken until something holds; ``received`` keeps all bytes."""

    process: ProcessPipe
    pipe: RenamedShell
    stream: Iterator[Fact]
    received: Received = field(default_factory=Received)
    facts: list[Fact] = field(default_factory=list)

    def until(self, holds: Callable[[Fact], bool], seconds: float = 20.0, what: str = "") -> Fact:
        """Take facts until one holds."""
        deadline = time.monotonic() + seconds
        for fact in self.stream:
            self.facts.append(fact)
            self.received.take(fact)
            if holds(fact):
                return fact
            if time.monotonic() > deadline:
                break
        raise AssertionError(f"not within {seconds} s: {what}; errors: {self.pipe.errors}")

    def until_fact(self, kind: type[Fact], seconds: float = 20.0) -> Fact:
        """Take facts until one of a kind came."""
        return self.until(lambda fact: isinstance(fact, kind), seconds, kind.__name__)

    def until_received(
        self, holds: Callable[[Received], bool], seconds: float = 20.0, what: str = ""
    ) -> None:
        """Take facts until what was received as a whole holds."""
        if not holds(self.received):
            self.until(lambda _: holds(self.received), seconds, what)


@contextmanager
def follow(
    kind: Kind,
    roots: Path | Iterable[str | Path],
    *,
    environment: Mapping[str, str] | None = None,
    machine: bool = True,
    user: int | None = None,
    received: Received | None = None,
    **request: object,
) -> Iterator[Following]:
    """Start a follower on a box of this kind and end it afterwards."""
    marker = new_marker()
    texts = [roots] if isinstance(roots, Path) else list(roots)
    wanted = FollowRequest(roots=tuple(str(root) for root in texts), **request)  # type: ignore[arg-type]  # checked by the dataclass
    variables = {"PATH": str(kind.path), "HOME": str(kind.path), **(environment or {})}
    arguments = [str(kind.shell), "-c", kind.command(marker)]
    if user is not None:
        become = (
            f"import os,sys;os.setgid({user});os.setuid({user});os.execv(sys.argv[1],sys.argv[1:])"
        )
        arguments = [sys.executable, "-c", become, *arguments]
    process = ProcessPipe(arguments, variables)
    pipe = RenamedShell(process, kind.shell)
    follower = FollowerPipe(pipe, wanted, marker, machine)
    following = Following(process, pipe, follower.facts())
    if received is not None:
        following.received = received
    try:
        follower.start()
        yield following
    finally:
        process.close()
