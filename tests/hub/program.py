"""The Hub program as a process of its own: a request in, its replies out, nothing left behind."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.hub.accounts import Json
from tests.hub.server import Hub
from tests.waiting import wait_until

MARKER = "5a17"


def snapshot(directory: Path, **contents: bytes) -> list[Json]:
    """Write ``.boxtop-snapshot`` with these files; returns them as a push asks for them.

    ``best="..."`` becomes ``weights/best.pt``; without any there are weights, a log and a status.
    """
    kept = directory / ".boxtop-snapshot"
    kept.mkdir(parents=True)
    noise = random.Random(3)
    named = {f"weights/{name}.pt": data for name, data in contents.items()} or {
        "weights/best.pt": noise.randbytes(600_000),
        "weights/last.pt": noise.randbytes(500_000),
        "status.json": b'{"state": "running"}',
        "train.log": b"",
    }
    files = []
    for path, data in named.items():
        local = kept / path.replace("/", "-")
        local.write_bytes(data)
        digest = hashlib.sha256(data).hexdigest()
        entry = {"path_in_repo": path, "local_path": str(local), "size": len(data)}
        files.append({**entry, "sha256": digest})
    return files


class Program:
    """One running program; use it in a ``with``."""

    def __init__(self, request: Json, environment: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tui.onbox.hub"],
            cwd=Path(__file__).parents[2],
            env={**os.environ, **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"marker": MARKER, **request}).encode() + b"\n")
        self.process.stdin.flush()
        self.said: list[tuple[str, Json]] = []
        self.raw = ""

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()

    def replies(self) -> Iterator[tuple[str, Json]]:
        """Yield ``(kind, document)`` as they come, until the program ends."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            text = line.decode()
            self.raw += text
            if text.startswith(f"@@{MARKER} "):
                document = json.loads(text.split(" ", 1)[1])
                document = document.get("done", document)
                document.pop("re", None)
                self.said.append(next(iter(document.items())))
                yield self.said[-1]

    def until(self, kind: str, **values: object) -> Json:
        """Return the next reply of this kind that has these values."""
        for name, document in self.replies():
            if name == kind and all(document.get(key) == value for key, value in values.items()):
                return document
        assert self.process.stderr is not None
        raise AssertionError(f"no {kind} in {self.said}\n{self.process.stderr.read().decode()}")

    def hang_up(self) -> None:
        """Close its standard input, as the end of a connection does."""
        assert self.process.stdin is not None
        self.process.stdin.close()


def request(hub: Hub, operation: str, **more: object) -> Json:
    """Return a request to this Hub with the settings that make tests quick."""
    usual: Json = {
        "op": operation,
        "token": hub.token,
        "repo": "my-org/my-run",
        "endpoint": hub.url,
        "tick_s": 0.02,
        "patience_s": 0,
        "look_every_s": 0.1,
    }
    return {**usual, **more}


def ask(asked: Json, kind: str = "result", environment: dict[str, str] | None = None) -> Json:
    """Run the program to its end and return its reply of this kind."""
    with Program(asked, environment) as program:
        reply = program.until(kind)
        assert asked.get("token") is None or str(asked["token"]) not in program.raw
        return reply


def pushes() -> Path:
    """Return the directory of all pushes of the test's HOME."""
    return Path.home() / ".cache/boxtop/pushes"


def uploader(job: str) -> int:
    """Return the pid that a job recorded."""
    pid: int = json.loads((pushes() / job / "process.json").read_text())["pid"]
    return pid


def lives(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def kill_uploader(job: str) -> None:
    """End an uploader of the test by force, and wait until it is gone."""
    pid = uploader(job)
    if lives(pid):
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not lives(pid), what="the uploader's end")


def kill_uploaders() -> None:
    """End every uploader that a test left behind."""
    for job in pushes().iterdir() if pushes().is_dir() else ():
        if (job / "process.json").exists():
            kill_uploader(job.name)
