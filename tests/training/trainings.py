"""Real LibreYOLO trainings for tests, small enough for a CPU."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
from pathlib import Path

import msgspec

from tests.sshd import SshServer
from tests.waiting import wait_until
from tui.demo.dataset import draw_dataset

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
PYTHON = Path(
    os.environ.get("BOXTOP_TRAIN_PYTHON") or CACHE / "boxtop" / "libreyolo-1.6.0" / "bin" / "python"
)
"""A Python with LibreYOLO; read at collection, before the tests get a HOME of their own."""

PROGRAM = "import sys; from libreyolo.cli import entrypoint; sys.exit(entrypoint())"
START_SECONDS = 150.0
"""Three trainings load torch at once: 15 s on two free cores, minutes where others work too."""


class Status(msgspec.Struct):
    """The fields of a real status.json that tests ask for."""

    state: str
    pid: int
    current_epoch: int | None = None
    best_metric: float | None = None
    best_epoch: int | None = None
    train_loss: float | None = None


class Training:
    """One training on the box; ``console`` catches its stdout as a person's nohup does."""

    def __init__(self, home: Path, name: str, epochs: int) -> None:
        self.directory = home / "runs" / name
        self.console = home / f"{name}.log"
        settings = {
            "data": home / "shapes" / "data.yaml",
            "model": "LibreYOLO9t.pt",
            "pretrained": "false",
            "imgsz": 64,
            "batch": 8,
            "workers": 0,
            "device": "cpu",
            "epochs": epochs,
            "project": home / "runs",
            "name": name,
        }
        arguments = [f"{key}={value}" for key, value in settings.items()]
        self.command = [str(PYTHON), "-c", PROGRAM, "train", *arguments]
        self.process: subprocess.Popen[bytes] | None = None

    def start_detached(self, server: SshServer) -> None:
        """Start it over ssh and log out, as the guides say: ``nohup … > train.log 2>&1 &``."""
        log = shlex.quote(str(self.console))
        command = f"OMP_NUM_THREADS=1 nohup {shlex.join(self.command)} > {log} 2>&1 < /dev/null &"
        known_hosts = server.directory / "training_known_hosts"
        known_hosts.write_text(server.known_host_lines)
        options = ["-F", "none", "-o", f"UserKnownHostsFile={known_hosts}", "-o", "BatchMode=yes"]
        address = ["-i", str(server.key.path), "-p", str(server.port), server.text.split(":")[0]]
        subprocess.run(["ssh", *options, *address, command], check=True, timeout=30)

    def start_in_terminal(self) -> None:
        """Start it as a person does who stays and may press Ctrl-C."""
        with self.console.open("wb") as console:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
                start_new_session=True,
            )

    @property
    def status(self) -> Status | None:
        """The run's status.json, None before it is there."""
        with contextlib.suppress(FileNotFoundError):
            return msgspec.json.decode((self.directory / "status.json").read_bytes(), type=Status)
        return None

    @property
    def pid(self) -> int:
        """The training's process, once it has written a status."""
        status = wait_until(lambda: self.status, START_SECONDS, f"a status.json: {self.said}")
        assert status is not None
        return status.pid

    @property
    def said(self) -> str:
        """What the training printed, for a failing test."""
        return self.console.read_text() if self.console.exists() else "(nothing)"

    def end(self) -> None:
        """Kill it if it still runs."""
        status = self.status
        if status is not None and runs(status.pid, self.directory.name):
            os.kill(status.pid, signal.SIGKILL)
        if self.process is not None:
            self.process.kill()
            self.process.wait()


def runs(pid: int, name: str) -> bool:
    """Whether ``pid`` is still the training of that name."""
    with contextlib.suppress(OSError):
        return f"name={name}".encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    return False


def make_home(home: Path) -> None:
    """Draw the data that the trainings of this home learn from, once."""
    if not (home / "shapes").exists():
        draw_dataset(home / "shapes", train=16, val=8)


def clear_home(home: Path) -> None:
    """Leave no runs where other tests look for theirs."""
    shutil.rmtree(home / "runs", ignore_errors=True)
