"""The directory of one push: who uploads, how far it is, how it ended. Never a token.

``~/.cache/boxtop/pushes/JOB/`` (0700) holds ``job.json`` (what is pushed), ``process.json`` (pid
and its start time), ``progress.json`` and at the end ``result.json``. Each is replaced as a whole.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import threading
import time
from pathlib import Path

from tui.onbox.hub_facts import Problem
from tui.onbox.hub_wire import encoded
from tui.onbox.owners import lives, own, owner_in

JOB_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
CLEANUP_PREFIX = ".boxtop-"
MEMORY_PREFIX = "boxtop-push-"
MAX_JOBS = 50
BEGINNING_SECONDS = 60.0


def pushes_directory() -> Path:
    """Return where the pushes of this user are kept."""
    return Path("~/.cache/boxtop/pushes").expanduser()


class Job:
    """One push of this user, by its name."""

    def __init__(self, name: str) -> None:
        if not JOB_NAME.fullmatch(name):
            raise Problem("BadRequest", f"not a job's name: {name!r}")
        self.name = name
        self.directory = pushes_directory() / name

    def create(self, document: dict[str, object]) -> None:
        """Make the directory; Problem ``JobExists`` when there is one already."""
        self.directory.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            self.directory.mkdir(mode=0o700)
        except FileExistsError:
            raise Problem("JobExists", f"there is a push of this name: {self.name}") from None
        self.write("job", document)

    def need(self) -> None:
        """Raise Problem ``NoJob`` when there is no such push."""
        if not (self.directory / "job.json").is_file():
            raise Problem("NoJob", f"no push of this name here: {self.name}")

    def write(self, name: str, document: dict[str, object], secrets: tuple[str, ...] = ()) -> None:
        """Replace one of the files as a whole."""
        path = self.directory / (name + ".json")
        temporary = self.directory / f".{name}.{threading.get_ident()}"
        descriptor = os.open(str(temporary), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(encoded(document, secrets) + "\n")
        temporary.replace(path)

    def read(self, name: str) -> dict[str, object] | None:
        """Return one of the files, None when it is not there."""
        try:
            document = json.loads((self.directory / (name + ".json")).read_text())
        except (OSError, ValueError):
            return None
        return document if isinstance(document, dict) else None

    def begin(self) -> None:
        """Record this process as the one that uploads."""
        pid = os.getpid()
        self.write("process", {"pid": pid, "start": start_time(pid)})

    def uploader(self) -> int | None:
        """Return the pid of the uploader if that very process still lives."""
        process = self.read("process") or {}
        pid, start = process.get("pid"), process.get("start")
        if not isinstance(pid, int) or start is None or start_time(pid) != start:
            return None
        return pid

    def state(self) -> str:
        """Return ``running``, ``finished``, ``vanished`` (ended without a result) or ``gone``."""
        for _ in range(2):  # the result may have come between the two looks
            if self.read("result") is not None:
                return "finished"
            if self.uploader() is not None or self._is_beginning():
                return "running"
        return "vanished" if (self.directory / "job.json").is_file() else "gone"

    def clean_up(self) -> None:
        """Remove the snapshot of a push that has ended, unless somebody uses it."""
        directory = (self.read("job") or {}).get("cleanup")
        if isinstance(directory, str) and lives(owner_in(directory)) is not True:
            clean_up(directory)

    def remove(self) -> None:
        """Remove the directory and all in it, at once for whoever looks at it meanwhile."""
        away = self.directory.with_name(f".{self.name}.{os.getpid()}")
        try:
            self.directory.rename(away)
        except OSError:
            away = self.directory
        shutil.rmtree(str(away), ignore_errors=True)

    def _is_beginning(self) -> bool:
        """Whether it was made just now and its uploader has not recorded itself yet."""
        if (self.directory / "process.json").exists():
            return False
        try:
            age = time.time() - (self.directory / "job.json").stat().st_mtime
        except OSError:
            return False
        return abs(age) < BEGINNING_SECONDS


def all_jobs() -> list[Job]:
    """Return the newest pushes that this user has directories of, the newest first."""
    found = []
    try:
        for path in pushes_directory().iterdir():
            if JOB_NAME.fullmatch(path.name) and (path / "job.json").is_file():
                found.append(((path / "job.json").stat().st_mtime, path.name))
    except OSError:
        pass
    return [Job(name) for _, name in sorted(found, reverse=True)[:MAX_JOBS]]


def start_time(pid: int) -> str | None:
    """Return when a process started, as its system writes it; None for one that is gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None if Path("/proc/self/stat").exists() else _start_by_ps(pid)
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else fields[19]


def _start_by_ps(pid: int) -> str | None:
    asked = ["ps", "-o", "stat=,lstart=", "-p", str(pid)]
    try:
        said = subprocess.run(asked, stdout=subprocess.PIPE, check=False).stdout.decode()
    except OSError:
        return None
    state, _, start = said.strip().partition(" ")
    return start.strip() or None if not state.startswith("Z") else None


def clean_up(directory: object) -> None:
    """Remove a directory of snapshots: only one whose name starts with ``.boxtop-``."""
    if _is_snapshot(directory):
        shutil.rmtree(str(directory), ignore_errors=True)


def clean_memory(directory: object) -> None:
    """Remove a home that was made for one push alone: one whose name says so."""
    if isinstance(directory, str) and Path(directory).name.startswith(MEMORY_PREFIX):
        shutil.rmtree(directory, ignore_errors=True)


def take_over(directory: object) -> None:
    """Let this process be who uses a directory of snapshots. Raises OSError."""
    if _is_snapshot(directory):
        own(str(directory))


def _is_snapshot(directory: object) -> bool:
    if not isinstance(directory, str) or not directory:
        return False
    path = Path(directory)
    return path.name.startswith(CLEANUP_PREFIX) and path.is_dir() and not path.is_symlink()
