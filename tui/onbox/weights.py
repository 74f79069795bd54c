"""The program that lists, snapshots, reads and removes the weights of a run."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable
from typing import Any

from tui.onbox import archive
from tui.onbox.hidden import Hidden, sweep
from tui.onbox.places import (
    MAX_FILES,
    Identity,
    Refused,
    Weights,
    explained,
    identity_of,
    open_file,
)
from tui.onbox.serving import Operation, Program, serve
from tui.onbox.small_files import NoCopy, read_small, take_small
from tui.onbox.snapshot import Rules, Taker
from tui.onbox.training import Training
from tui.onbox.versions import versions
from tui.onbox.wire import Line

FRAME_BYTES = 1 << 20
PROGRESS_SECONDS = 0.25
SETTLED_SECONDS = 2.0
TEXT_PIECE = 50_000
"""A character takes up to twelve bytes of a reply, which may have one million."""


def main(first: bytes) -> None:
    """Answer until nobody asks any more; snapshots that nobody took over go with the program."""
    serve(first, Keeper)


class Keeper(Program):
    """Answers the requests of one line; each names a ``run``."""

    def __init__(self, line: Line) -> None:
        super().__init__(line)
        self._owned: dict[str, Hidden] = {}
        self._told = 0.0

    def operations(self) -> dict[str, Operation]:
        """Return what may be asked for."""
        return {
            "hello": lambda request: {},
            "list": self._list,
            "snapshot": self._snapshot,
            "read": self._read,
            "confirm": self._confirm,
            "remove": self._remove,
        }

    def clean_up(self) -> None:
        """Remove the snapshots that nobody took over."""
        for hidden in list(self._owned.values()):
            hidden.let_go()

    def _list(self, request: dict[str, Any]) -> dict[str, Any]:
        """Tell each checkpoint, the newest first, or those of ``names`` alone.

        ``full`` compares CRCs and hashes.
        """
        weights = Weights(request["run"])
        training = Training(weights.run)
        rows = []
        wanted = request.get("names")
        for name in weights.names() if wanted is None else [str(name) for name in wanted]:
            try:
                path = weights.file(name)
                identity = identity_of(path)
                if stat.S_ISREG(os.stat(path).st_mode):
                    rows.append((identity.mtime_ns, name, path, identity))
            except (Refused, OSError) as error:
                self._tell(checkpoint={"name": name, "complete": False, "reason": str(error)})
        rows.sort(reverse=True)
        for mtime_ns, name, path, identity in rows[:MAX_FILES]:
            epoch = training.epoch_of(name, mtime_ns)
            values = {"name": name, "identity": identity._asdict(), "epoch": epoch}
            values.update(self._looked(name, path, identity, bool(request.get("full"))))
            self._tell(checkpoint=values)
        return {"more": max(0, len(rows) - MAX_FILES)}

    def _looked(self, name: str, path: bytes, identity: Identity, full: bool) -> dict[str, Any]:
        """Return whether a file is complete; None where nobody can tell."""
        if 0 <= time.time() - identity.mtime_ns / 1e9 < SETTLED_SECONDS:
            return {"complete": None, "reason": "it is being written"}
        try:
            with os.fdopen(open_file(path), "rb") as file:
                if not full:
                    reason = archive.reason(file)
                    return {"complete": reason is None, "reason": reason}
                found = archive.examine(file, self._progress(name, "check", identity.size))
                if Identity.of(os.fstat(file.fileno())) != identity or identity != identity_of(
                    path
                ):
                    return {"complete": None, "reason": "it changed while it was read"}
        except Refused as refused:
            return {"complete": None, "reason": str(refused)}
        except OSError as error:
            return {"complete": None, "reason": str(explained(error, path))}
        complete = found.reason is None
        return {"complete": complete, "reason": found.reason, "sha256": found.sha256 or None}

    def _snapshot(self, request: dict[str, Any]) -> dict[str, Any]:
        """Take the checkpoints ``names``, the small files ``files`` and the log at ``console``."""
        weights = Weights(request["run"])
        sweep(weights)
        hidden = Hidden(weights)
        self._owned[hidden.number] = hidden
        given = {key: request[key] for key in Rules._fields if request.get(key) is not None}
        rules = Rules(**given)
        try:
            for name in request.get("names", []):
                self._take_checkpoint(weights, hidden, rules, name)
            for name in request.get("files", []):
                self._take_small(weights, hidden, name)
            if request.get("console"):
                self._take_small(weights, hidden, "console.log", request["console"])
        except BaseException:
            hidden.remove()
            raise
        found = versions(Training(weights.run).process())
        return {"snapshot": hidden.number if hidden.made else None, "versions": found}

    def _take_checkpoint(self, weights: Weights, hidden: Hidden, rules: Rules, name: str) -> None:
        def tell(stage: str, done: int, total: int) -> None:
            self._progress(name, stage, total)(done)

        try:
            taken = Taker(weights, hidden, rules, tell, self._line.pause).take(name)
        except Refused as refused:
            self._tell(refused={"name": name, **refused.values()})
        except OSError as error:
            self._tell(refused={"name": name, "kind": "unreadable", "message": str(error)})
        else:
            self._tell(checkpoint=taken.values())

    def _take_small(self, weights: Weights, hidden: Hidden, name: str, source: str = "") -> None:
        try:
            self._tell(file=take_small(weights.run, name, hidden, source).values())
        except NoCopy:
            self._send_small(weights, name, source)
        except Refused as refused:
            self._tell(refused={"name": name, **refused.values()})

    def _send_small(self, weights: Weights, name: str, source: str) -> None:
        """Send a small file itself where no copy can be made."""
        try:
            values, text = read_small(weights.run, name, source)
        except Refused as refused:
            self._tell(refused={"name": name, **refused.values()})
        except OSError as error:
            self._tell(refused={"name": name, "kind": "unreadable", "message": str(error)})
        else:
            for at in range(0, max(1, len(text)), TEXT_PIECE):
                self._tell(text={"name": name, "piece": text[at : at + TEXT_PIECE]})
            self._tell(file=values)

    def _read(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send ``length`` bytes from ``offset`` of a snapshot's file, or of one that is in place.

        One that is in place must be what ``identity`` says, before and after.
        """
        weights = Weights(request["run"])
        number, name = request.get("snapshot"), request["name"]
        path = Hidden(weights, number).file(name) if number else weights.file(name)
        expected = None if number else Identity.told(request.get("identity"))
        handle = open_file(path)
        try:
            self._must_be(expected, handle, name)
            at, end = int(request["offset"]), int(request["offset"]) + int(request["length"])
            while at < end:
                self._line.check()
                piece = os.pread(handle, min(FRAME_BYTES, end - at), at)
                if not piece:
                    raise Refused("changed", f"{name} became shorter while it was read")
                self._line.data(piece)
                at += len(piece)
            self._must_be(expected, handle, name)
        finally:
            os.close(handle)
        return {"end": at}

    def _must_be(self, expected: Identity | None, handle: int, name: str) -> None:
        if expected is not None and Identity.of(os.fstat(handle)) != expected:
            raise Refused("changed", f"{name} changed while it was read")

    def _confirm(self, request: dict[str, Any]) -> dict[str, Any]:
        """Say whether a file in place still is what it was."""
        weights = Weights(request["run"])
        now = identity_of(weights.file(request["name"]))
        return {"same": now == Identity.told(request.get("identity")), "identity": now._asdict()}

    def _remove(self, request: dict[str, Any]) -> dict[str, Any]:
        """Remove a snapshot that nobody else uses."""
        hidden = Hidden(Weights(request["run"]), str(request.get("snapshot")))
        self._owned.pop(hidden.number, None)
        return {"removed": hidden.let_go()}

    def _progress(self, name: str, stage: str, total: int) -> Callable[[int], None]:
        def tell(done: int) -> None:
            self._line.check()
            now = time.monotonic()
            if now - self._told >= PROGRESS_SECONDS or done == total:
                self._told = now
                values = {"name": name, "stage": stage, "done": done, "total": total}
                self._tell(progress=values)

        return tell
