"""A push from within a training's own process: a snapshot at once, the rest beside it."""

from __future__ import annotations

import json
import logging
import os
import shutil
import site
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from tui.actions.callback_snapshot import File, Snapshot
from tui.actions.hub_errors import problem_of
from tui.actions.hub_facts import Asked
from tui.actions.hub_names import destination, paths_in_repo
from tui.actions.hub_problem import HubError
from tui.actions.hub_token import find_token
from tui.onbox.hub_follow import forget
from tui.onbox.hub_jobs import MEMORY_PREFIX, Job, pushes_directory
from tui.onbox.places import Refused
from tui.onbox.training import Training
from tui.runs.files import PUSHED

logger = logging.getLogger("boxtop")

MODULE = "tui.onbox.hub"
MARKER = "callback"
JOB_PREFIX = "callback-"
"""Tells our jobs from those whose end somebody elsewhere still wants to learn."""
OLD_SECONDS = 86400.0
MEMORY = Path("/dev/shm")
NEEDED_BYTES = 256 << 10
"""What a push notes of itself in the home directory, and some more."""


class Upload:
    """One push of a run directory. ``begun`` is set once it goes on without this process.

    ``over`` says that the training is: then a checkpoint may be read in place.
    """

    def __init__(
        self,
        run: Path,
        to: str,
        names: tuple[str, ...],
        reason: str,
        *,
        private: bool,
        over: bool = False,
    ) -> None:
        self.begun = threading.Event()
        self._run = run.absolute()
        self._place = destination(to)
        self._names = names
        self._reason = reason
        self._private = private
        self._over = over
        self._held: Snapshot | None = None

    def snapshot(self) -> None:
        """Copy the files beside themselves, while nobody writes to them.

        What cannot be taken is warned of. Raises Refused where that leaves no checkpoint, OSError.
        """
        held = Snapshot(self._run, in_place=self._over)
        held.take(self._names)
        for refused in held.refused.values():
            self._warn(refused)
        if not held.files:
            why = "could be taken" if held.refused else "is there"
            raise Refused("missing", f"nothing is pushed: no checkpoint of {self._run.name} {why}")
        self._held = held

    def run(self) -> None:
        """Check, hash and hand over; then wait for the end. Whatever fails is a warning."""
        held = self._held
        if held is None:
            return
        try:
            self._upload(held)
        except HubError as error:
            self._warn(error.problem)
        except Exception as error:  # noqa: BLE001 - saving must never end a training
            self._warn(error)
        finally:
            if not self.begun.is_set():
                held.hidden.let_go()

    def _warn(self, why: object) -> None:
        logger.warning("boxtop could not push to %s: %s", self._place, why)

    def _upload(self, held: Snapshot) -> None:
        sweep_jobs()
        measured = list(self._measured(held.files))
        names = [file.name for file, _ in measured if file.is_checkpoint]
        if not names:
            raise Refused("damaged", f"{self._run.name} has no whole checkpoint: nothing is pushed")
        paths = paths_in_repo(self._place, [file.name for file, _ in measured])
        files = [
            {"path_in_repo": paths[file.name], "local_path": file.path, **facts}
            if file.identity is None
            else {
                **{"path_in_repo": paths[file.name], "local_path": file.path, **facts},
                "identity": file.identity._asdict(),
            }
            for file, facts in measured
        ]
        token = find_token()
        note = {"path": str(self._run / PUSHED), "files": dict(self._noted(measured, paths))}
        message = f"{', '.join(names)} of {self._run.name} ({self._reason})"
        request = {**self._request(held, files, message, token.secret), "note": note}
        result = self._followed(request)
        asked = Asked(self._place.repo, token.source)
        if result.get("ok") is not True:
            raise HubError(problem_of(_facts(result), asked, _landed(result)))
        logger.info("boxtop pushed to %s: commit %s", self._place, result.get("commit"))

    def _measured(self, files: list[File]) -> Iterator[tuple[File, dict[str, Any]]]:
        """Yield what is whole, with size and hash, and warn of the rest."""
        for file in files:
            try:
                yield file, file.measured()
            except (Refused, OSError) as error:
                self._warn(error)

    def _noted(
        self, measured: list[tuple[File, dict[str, Any]]], paths: dict[str, str]
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield what is said of each checkpoint once the Hub has it."""
        training = Training(os.fsencode(self._run))
        for file, facts in measured:
            if file.source is not None:
                mtime_ns = file.source.mtime_ns
                times = {"mtime": mtime_ns / 1e9, "inode": file.source.inode}
                epoch = training.epoch_of(file.name, mtime_ns)
                yield file.name, {"path": paths[file.name], **facts, **times, "epoch": epoch}

    def _request(
        self, held: Snapshot, files: list[dict[str, Any]], message: str, token: str
    ) -> dict[str, Any]:
        return {
            "marker": MARKER,
            "id": 1,
            "op": "push",
            "job": JOB_PREFIX + os.urandom(8).hex(),
            "token": token,
            "repo": self._place.repo,
            "files": files,
            "message": message,
            "private": self._private,
            "allow_public": not self._private,
            "cleanup": os.fsdecode(held.hidden.path) if held.hidden.made else None,
            "endpoint": os.environ.get("HF_ENDPOINT"),
        }

    def _followed(self, request: dict[str, Any]) -> dict[str, Any]:
        """Start the program that uploads by itself, and return how it ended."""
        home = None if _home_has_room() else _memory()
        request = {**request, "memory": home}
        process = subprocess.Popen(
            [sys.executable, "-m", MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=Path(__file__).parents[2],
            start_new_session=True,
            env=os.environ if home is None else _environment(home),
        )
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(request).encode("ascii") + b"\n")
        process.stdin.flush()
        done: dict[str, Any] = {}
        for line in process.stdout:
            values = _reply(line)
            if "started" in values:
                self.begun.set()
            done = values.get("done", done)
        process.stdin.close()
        process.wait()
        if done and home is not None:
            shutil.rmtree(home, ignore_errors=True)
        elif done:
            forget(Job(request["job"]))
        found = done.get("result") or {"error": done.get("error")}
        return found if isinstance(found, dict) else {}


def _home_has_room() -> bool:
    try:
        folder = pushes_directory()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            return file.write(bytes(NEEDED_BYTES)) == NEEDED_BYTES
    except OSError:
        return False


def _memory() -> str | None:
    """Return a home of the push's own in memory, None where there is none.

    A disk that is full ends trainings, and just then their weights have to get away.
    """
    try:
        return tempfile.mkdtemp(prefix=MEMORY_PREFIX, dir=MEMORY)
    except OSError:
        return None


def _environment(home: str) -> dict[str, str]:
    """Return this process's with another home; the client may be installed for the user alone."""
    return {**os.environ, "HOME": home, "PYTHONUSERBASE": site.getuserbase()}


def sweep_jobs() -> None:
    """Forget our own jobs of earlier days whose uploader is gone: nobody asks for them."""
    try:
        found = list(pushes_directory().glob(f"{JOB_PREFIX}*"))
    except OSError:
        return
    for path in found:
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > OLD_SECONDS:
                forget(Job(path.name))


def _reply(line: bytes) -> dict[str, Any]:
    prefix = f"@@{MARKER} ".encode()
    if not line.startswith(prefix):
        return {}
    values = json.loads(line[len(prefix) :])
    return values if isinstance(values, dict) else {}


def _facts(result: dict[str, Any]) -> dict[str, Any]:
    error = result.get("error")
    return error if isinstance(error, dict) else {}


def _landed(result: dict[str, Any]) -> bool | None:
    landed = result.get("landed", False)
    return landed if isinstance(landed, bool) else None
