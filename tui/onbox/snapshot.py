"""A snapshot of one checkpoint that is proven to be one whole version of it.

The trainer rewrites checkpoints in place. So a copy is taken while nothing is being written, the
file must be the same before and after, and the copy must pass every CRC. Where there is no room for
a copy the file itself is used, and must still be the same when it was used.
"""

from __future__ import annotations

import os
import time
from typing import Any, Callable, NamedTuple

from tui.onbox import archive
from tui.onbox.copying import FORBIDDEN, FULL, copy
from tui.onbox.hidden import Hidden
from tui.onbox.places import Identity, Refused, Weights, explained, identity_of, open_file, text
from tui.onbox.training import Training

SPARE_BYTES = 64 << 20
"""Left free beyond two more saves of the same size: no snapshot may end a training."""

POLL_SECONDS = 0.1


class Rules(NamedTuple):
    """How a snapshot is taken.

    ``settle``: the file must not have changed for so many seconds, where no status was written
    since. ``patience``: seconds to wait for that, and for the next status, in each of ``tries``.
    ``spare``: bytes that stay free on the disk, None for what the next saves need.
    """

    settle: float = 2.0
    patience: float = 120.0
    tries: int = 3
    spare: int | None = None


class Taken(NamedTuple):
    """A whole version: ``identity`` is the source's; ``path`` is the copy, or the source itself."""

    name: str
    size: int
    sha256: str
    identity: Identity
    epoch: int | None
    path: str
    in_place: bool

    def values(self) -> dict[str, Any]:
        """What a reply says of it."""
        return {**self._asdict(), "identity": self.identity._asdict()}


class _Again(Exception):
    """The try failed in a way that another may heal."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


Tell = Callable[[str, int, int], None]
"""Told a stage (wait, copy, check), bytes done and bytes in all; may raise to stop."""


class Taker:
    """Takes the checkpoints of one run. ``pause`` waits so many seconds and may raise to stop."""

    def __init__(
        self,
        weights: Weights,
        hidden: Hidden,
        rules: Rules,
        tell: Tell,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._weights = weights
        self._hidden = hidden
        self._rules = rules
        self._tell = tell
        self._pause = pause
        self._training = Training(weights.run)

    def take(self, name: str) -> Taken:
        """Take one checkpoint. Raises Refused: changed, damaged, missing, denied, refused, …"""
        path = self._weights.file(name)
        for left in reversed(range(self._rules.tries)):
            tick = self._training.tick()
            try:
                return self._attempt(name, path)
            except _Again as again:
                if not left or not self._may_heal(again, path, tick):
                    raise self._failure(name, again) from None
        raise Refused("usage", "no try was asked for")

    def _attempt(self, name: str, path: bytes) -> Taken:
        before = self._settled(name, path)
        source = open_file(path)
        try:
            if Identity.of(os.fstat(source)) != before:
                raise _Again("changed", f"{name} changed while it was opened")
            copied = self._copied(name, source, before)
            with os.fdopen(os.dup(source) if copied is None else copied, "rb") as file:
                if copied is not None and not _same(source, path, before):
                    raise _Again("changed", f"{name} changed while it was copied")
                total = before.size
                examined = archive.examine(file, lambda done: self._tell("check", done, total))
            if copied is None and not _same(source, path, before):
                raise _Again("changed", f"{name} changed while it was read")
        except _Again:
            self._hidden.discard(name)
            raise
        finally:
            os.close(source)
        if examined.reason is not None:
            self._hidden.discard(name)
            raise _Again("damaged", f"{name} is not a complete checkpoint: {examined.reason}")
        place = path if copied is None else self._hidden.file(name)
        epoch = self._training.epoch_of(name, before.mtime_ns)
        sizes = (examined.size, examined.sha256)
        return Taken(name, *sizes, before, epoch, text(place), copied is None)

    def _copied(self, name: str, source: int, before: Identity) -> int | None:
        """Return a descriptor of the copy, None where there may be none: no room, or no right."""
        target = None
        try:
            if self._lacks_room(before.size):
                return None
            self._hidden.make()
            target = self._hidden.create(name)
            copy(source, target, before.size, lambda done: self._tell("copy", done, before.size))
            return target
        except OSError as error:
            if target is not None:
                os.close(target)
                self._hidden.discard(name)
            if error.errno in FULL + FORBIDDEN:
                return None
            raise explained(error, self._weights.path) from None

    def _lacks_room(self, size: int) -> bool:
        spare = self._rules.spare
        disk = os.statvfs(self._weights.real)
        free = disk.f_bavail * disk.f_frsize
        return free < size + (2 * size + SPARE_BYTES if spare is None else spare)

    def _settled(self, name: str, path: bytes) -> Identity:
        """Wait until the file is not being written to; return its identity then."""
        give_up = time.monotonic() + self._rules.patience
        found, since = identity_of(path), time.monotonic()
        while True:
            now = time.monotonic()
            age = max(now - since, time.time() - found.mtime_ns / 1e9)
            if age >= self._rules.settle or self._training.covers(found.mtime_ns):
                return found
            if now > give_up:
                raise _Again("changed", f"{name} is being written to all the time")
            self._tell("wait", 0, found.size)
            self._pause(min(POLL_SECONDS, max(self._rules.settle - age, 0.01)))
            current = identity_of(path)
            if current != found:
                found, since = current, time.monotonic()

    def _may_heal(self, again: _Again, path: bytes, tick: tuple[int, int]) -> bool:
        """Wait for what may heal the file: the next status of a living run, or another version."""
        give_up = time.monotonic() + self._rules.patience
        if self._training.alive():
            while self._training.alive() and time.monotonic() < give_up:
                if self._training.tick() != tick:
                    return True
                self._tell("wait", 0, 0)
                self._pause(POLL_SECONDS)
            return True
        if again.kind == "changed":
            return True
        before = identity_of(path)
        self._pause(max(self._rules.settle, POLL_SECONDS))
        return identity_of(path) != before

    def _failure(self, name: str, again: _Again) -> Refused:
        if again.kind == "changed":
            many = {1: "once", 2: "twice", 3: "three times"}
            times = many.get(self._rules.tries, f"{self._rules.tries} times")
            return Refused("changed", f"{name} changed {times} while it was copied")
        return Refused(again.kind, str(again), others=self._others(name))

    def _others(self, name: str) -> list[str]:
        """Return the other checkpoints that are complete at first sight."""
        return sorted(
            other for other in self._weights.names() if other != name and self._passes(other)
        )

    def _passes(self, name: str) -> bool:
        try:
            with os.fdopen(open_file(self._weights.file(name)), "rb") as file:
                return archive.reason(file) is None
        except (OSError, Refused):
            return False


def _same(descriptor: int, path: bytes, before: Identity) -> bool:
    """Whether neither the open file nor what lies at its path has changed."""
    try:
        found = Identity.of(os.stat(path))
    except OSError:
        return False
    return Identity.of(os.fstat(descriptor)) == before == found
