"""A push from within a training's own process: a snapshot at once, the rest beside it."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from tui.actions.hub_errors import problem_of
from tui.actions.hub_facts import Asked
from tui.actions.hub_names import destination, paths_in_repo
from tui.actions.hub_problem import HubError
from tui.actions.hub_token import find_token
from tui.onbox import archive
from tui.onbox.copying import copy
from tui.onbox.hidden import Hidden
from tui.onbox.places import Refused, Weights, open_file
from tui.onbox.small_files import NAMES, take_small

logger = logging.getLogger("boxtop")

MODULE = "tui.onbox.hub"
MARKER = "callback"


class Upload:
    """One push of a run directory. ``begun`` is set once it goes on without this process."""

    def __init__(
        self, run: Path, to: str, names: tuple[str, ...], reason: str, *, private: bool
    ) -> None:
        self.begun = threading.Event()
        self._run = run.absolute()
        self._place = destination(to)
        self._names = names
        self._reason = reason
        self._private = private
        self._hidden: Hidden | None = None
        self._files: list[tuple[str, str]] = []

    def snapshot(self) -> None:
        """Copy the files beside themselves, while nobody writes to them.

        Raises OSError, and Refused where there is no such directory.
        """
        weights = Weights(str(self._run))
        hidden = self._hidden = Hidden(weights, kept=True)
        hidden.make()
        try:
            for name in self._names:
                if (self._run / "weights" / name).is_file():
                    self._copy(weights, hidden, name)
            for name in NAMES:
                self._take_small(weights, hidden, name)
        except BaseException:
            hidden.remove()
            raise

    def run(self) -> None:
        """Check, hash and hand over; then wait for the end. Whatever fails is a warning."""
        try:
            self._upload()
        except HubError as error:
            logger.warning("boxtop could not push to %s: %s", self._place, error.problem)
        except Exception as error:  # noqa: BLE001 - saving must never end a training
            logger.warning("boxtop could not push to %s: %s", self._place, error)
        finally:
            if not self.begun.is_set() and self._hidden is not None:
                self._hidden.remove()

    def _copy(self, weights: Weights, hidden: Hidden, name: str) -> None:
        source = open_file(weights.file(name))
        try:
            target = hidden.create(name)
            try:
                copy(source, target, os.fstat(source).st_size, lambda _done: None)
            finally:
                os.close(target)
        finally:
            os.close(source)
        self._files.append((name, os.fsdecode(hidden.file(name))))

    def _take_small(self, weights: Weights, hidden: Hidden, name: str) -> None:
        try:
            taken = take_small(weights.run, name, hidden)
        except Refused:
            return
        self._files.append((name, taken.path))

    def _upload(self) -> None:
        paths = paths_in_repo(self._place, [name for name, _ in self._files])
        files = [
            {"path_in_repo": paths[name], "local_path": path, **_measured(name, path)}
            for name, path in self._files
        ]
        token = find_token()
        request = {
            "marker": MARKER,
            "id": 1,
            "op": "push",
            "token": token.secret,
            "repo": self._place.repo,
            "files": files,
            "message": f"{', '.join(self._names)} of {self._run.name} ({self._reason})",
            "private": self._private,
            "allow_public": not self._private,
            "cleanup": os.fsdecode(self._hidden.path) if self._hidden else None,
            "endpoint": os.environ.get("HF_ENDPOINT"),
        }
        result = self._followed(request)
        asked = Asked(self._place.repo, token.source)
        if result.get("ok") is True:
            logger.info("boxtop pushed to %s: commit %s", self._place, result.get("commit"))
        else:
            raise HubError(problem_of(_facts(result), asked, _landed(result)))

    def _followed(self, request: dict[str, Any]) -> dict[str, Any]:
        """Start the program that uploads by itself, and return how it ended."""
        process = subprocess.Popen(
            [sys.executable, "-m", MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=Path(__file__).parents[2],
            start_new_session=True,
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
        found = done.get("result") or {"error": done.get("error")}
        return found if isinstance(found, dict) else {}


def _measured(name: str, path: str) -> dict[str, Any]:
    """Return size and sha256 of a copy. Raises ValueError for a checkpoint that is not whole."""
    with open(path, "rb") as file:
        if not name.endswith(".pt"):
            data = file.read()
            return {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        found = archive.examine(file)
    if found.reason is not None:
        raise ValueError(f"{name} is not a complete checkpoint: {found.reason}")
    return {"size": found.size, "sha256": found.sha256}


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
