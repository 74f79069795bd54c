"""Small process trees that stand in for trainings: a launcher, a coordinator, ranks, workers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.waiting import wait_until

SCRIPT = """\
import json, os, signal, subprocess, sys, time
from datetime import datetime, timezone

run, *roles = sys.argv[1:]
role, below = roles[0], roles[1:]
name, _, traits = role.partition(":")

def put(name, text):
    with open(os.path.join(run, "." + name), "w") as file:
        file.write(text)
    os.replace(os.path.join(run, "." + name), os.path.join(run, name))

def status(state, **more):
    put("status.json", json.dumps({
        "schema_version": 1, "state": state, "pid": os.getpid(), "total_epochs": 100,
        "start_epoch": 1, "current_epoch": 12, "model_family": "yolo9", "model_size": "t",
        "started_at": started, "updated_at": started, **more}))

if "int" in traits:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
if "term" in traits:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
started = datetime.now(timezone.utc).isoformat(timespec="seconds")
children = []
try:
    if below and name != "rank0":
        whole = " ".join(below)
        groups = [whole] if name == "launcher" else whole.split(" + ")
        for group in groups:
            words = group.split(" ")
            own = words[0].startswith("coordinator")
            children.append(subprocess.Popen(
                [sys.executable, __file__, run, *words], start_new_session=own))
    if name == "rank0":
        log = open(os.path.join(run, "train.log"), "a")
        for word in below:
            children.append(subprocess.Popen([sys.executable, __file__, run, word]))
        status("running")
    put("pid." + role.replace(":", "."), str(os.getpid()))
    while True:
        time.sleep(0.05)
        if name in ("launcher", "coordinator") and all(c.poll() is not None for c in children):
            sys.exit(1)
except KeyboardInterrupt:
    if name == "launcher":
        for child in children:
            os.killpg(child.pid, signal.SIGINT)
            child.wait()
    if name == "rank0":
        status("failed", error={"type": "KeyboardInterrupt", "message": ""})
        for child in children:
            child.terminate()
"""


class FakeTraining:
    """A tree that runs: ``roles`` as the script takes them, ``launcher coordinator rank0 + rank1``.

    A role's name may be followed by what it ignores: ``rank1:int,term``.
    """

    def __init__(self, run: Path, roles: str, shell: bool = False) -> None:
        run.mkdir(parents=True, exist_ok=True)
        self.run = run
        self._script = run / "tree.py"
        self._script.write_text(SCRIPT)
        command = [sys.executable, str(self._script), str(run), *roles.split(" ")]
        if shell:
            command = ["/bin/sh", "-c", '"$@"; true', "run.sh", *command]
        self.process = subprocess.Popen(command, start_new_session=True)
        self.roles = [word for word in roles.split(" ") if word != "+"]
        try:
            wait_until(lambda: len(self.pids) == len(self.roles), what=f"{roles} run")
            wait_until(lambda: (run / "status.json").exists(), what="a status")
        except AssertionError:
            self.end()
            raise

    @property
    def pids(self) -> dict[str, int]:
        """The pid of each role."""
        found = self.run.glob("pid.*")
        return {path.name.split(".")[1]: int(path.read_text()) for path in found}

    @property
    def status(self) -> dict[str, Any]:
        """The run's status as it is now."""
        values: dict[str, Any] = json.loads((self.run / "status.json").read_bytes())
        return values

    @property
    def pid(self) -> int:
        """The pid in the status."""
        return int(self.status["pid"])

    @property
    def began(self) -> float:
        """When the status says that it began."""
        return datetime.fromisoformat(self.status["started_at"]).timestamp()

    def alive(self) -> set[str]:
        """The roles that live."""
        return {role for role, pid in self.pids.items() if self._lives(pid)}

    def end(self) -> None:
        """Kill what is left of it."""
        for pid in self.pids.values():
            if self._lives(pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def _lives(self, pid: int) -> bool:
        with suppress(OSError):
            state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            return state != b"Z" and os.fsencode(self._script) in words
        return False


def write_status(run: Path, **fields: object) -> None:
    """Write a status of a running training, with ``fields`` in place of its own."""
    run.mkdir(parents=True, exist_ok=True)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    base = {"schema_version": 1, "state": "running", "started_at": now, "updated_at": now}
    (run / "status.json").write_text(json.dumps({**base, **fields}))
