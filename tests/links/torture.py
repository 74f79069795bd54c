"""Kill the follower at random bytes while its files grow, are cut, replaced and rotated.

``torture`` is for tests and the bench alike: it returns how many lines a patient reader of the
files would have, how many of them did not arrive, and how many arrived twice.
"""

from __future__ import annotations

import contextlib
import json
import random
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.links.boxes import Kind, RenamedShell
from tests.links.received import Received
from tests.links.runs_on_disk import make_run, write_status
from tests.waiting import wait_until
from tui.facts import Fact
from tui.links.base import FollowRequest, LinkError
from tui.links.frames import Decoder
from tui.links.process_pipe import ProcessPipe
from tui.links.request import new_marker, python_input
from tui.links.shell_input import sh_input
from tui.runs import files

PATIENCE_SECONDS = 30.0


@dataclass
class Outcome:
    """What a torture ended with."""

    kills: int
    lines: int
    lost: int
    repeated: int
    generations: int


class _Ended(Exception):
    """The connection ended by itself, which boxtop answers by the next one."""


class Writer(threading.Thread):
    """Writes a run's files in torn pieces; now and then begins the metrics or the log anew."""

    def __init__(self, run: Path, seed: int, pace: float) -> None:
        super().__init__(daemon=True)
        self.run_directory = run
        self.log_lines: list[bytes] = []
        self.rotations = 0
        self._rotating = threading.Lock()
        self._may_rotate_at: int | None = None
        self._random = random.Random(seed)
        self._ended = threading.Event()
        self._number = 0
        self._pace = pace

    def run(self) -> None:
        while not self._ended.wait(self._random.random() * self._pace):
            for _ in range(self._random.randint(1, 20)):
                self._write_a_line(files.METRICS)
            if self._random.random() < 0.5:  # few: a log that runs away is skipped by design
                self.log_lines.append(self._write_a_line(files.LOG))
            chance = self._random.random()
            if chance < 0.05:
                self._cut_metrics()
            elif chance < 0.08:
                (self.run_directory / files.METRICS).unlink(missing_ok=True)
            elif chance < 0.3 and self._rotates():
                pass
            elif chance < 0.4:
                write_status(self.run_directory, current_epoch=self._number)

    def let_rotate(self, lines: int | None) -> None:
        """Let the log be renamed while it has so many lines; None: not at all.

        What is renamed before it was sent is nobody's loss: no follower looks for the old file.
        """
        with self._rotating:
            self._may_rotate_at = lines

    def stop(self) -> None:
        self._ended.set()
        self.join()

    def _rotates(self) -> bool:
        with self._rotating:
            log = self.run_directory / files.LOG
            if self._may_rotate_at != len(self.log_lines) or not log.exists():
                return False
            self._may_rotate_at = None
            log.rename(log.with_name("train.log.1"))
            self.rotations += 1
            return True

    def _line(self, name: str) -> bytes:
        self._number += 1
        padding = "x" * self._random.randint(0, 300 if name == files.METRICS else 30)
        row = {"name": name, "number": self._number, "padding": padding}
        return json.dumps(row).encode() + b"\n"

    def _write_a_line(self, name: str) -> bytes:
        line = self._line(name)
        cut = self._random.randint(0, len(line))
        with (self.run_directory / name).open("ab", buffering=0) as file:
            file.write(line[:cut])
            file.write(line[cut:])
        return line

    def _cut_metrics(self) -> None:
        """Begin the metrics anew in the same file; often it is soon larger than before."""
        with (self.run_directory / files.METRICS).open("r+b", buffering=0) as file:
            file.truncate(0)
            for _ in range(self._random.randint(0, 60)):
                file.write(self._line(files.METRICS))


def torture(kind: Kind, directory: Path, seed: int, kills: int, pace: float = 0.01) -> Outcome:
    """Follow one run through many violent ends on both sides, then compare with its files.

    ``pace`` is the longest pause between two bursts of writing, in seconds.
    """
    chance = random.Random(seed)
    run = make_run(directory / "runs", "run1")
    received = Received()
    writer = Writer(run, seed, pace)
    writer.start()
    try:
        done = 0
        while done < kills or (not _is_enough(received, writer) and done < 20 * kills):
            done += 1
            rotations = writer.rotations
            budget = int(chance.expovariate(1 / 20_000))
            _follow_for(kind, run, received, budget, writer)
            writer.let_rotate(None)
            _lose_the_newest(received, chance, keep_log=writer.rotations != rotations)
    finally:
        writer.stop()
    while not _is_all_here(run, received):
        _follow_for(kind, run, received, None, writer)
    return _compare(run, received, writer, done)


def _follow_for(
    kind: Kind,
    run: Path,
    received: Received,
    budget: int | None,
    writer: Writer,
) -> None:
    """Take ``budget`` bytes in pieces of any size, then kill; None: until all is here."""
    marker = new_marker()
    request = FollowRequest(roots=(str(run.parent),), resume=received.tokens())
    variables = {"PATH": str(kind.path), "HOME": str(kind.path)}
    process = ProcessPipe([str(kind.shell), "-c", kind.command(marker)], variables)
    pipe = RenamedShell(process, kind.shell)
    decoder = Decoder(marker)
    taken, asked = 0, False
    try:
        pipe.write(python_input(request, marker, machine=False))
        while budget is None or taken < budget:
            data = pipe.read(PATIENCE_SECONDS)
            assert data, _ended(process)
            if budget is not None:
                data = data[: max(1, budget - taken)]
            taken += len(data)
            for fact in _decoded(decoder, data):
                received.take(fact)
            if budget is not None and _has_log(run, received):
                writer.let_rotate(len(received.everything(run, files.LOG).splitlines()))
            if decoder.wants_shell and not asked:
                asked = True
                pipe.write(sh_input(request, marker, machine=False))
            if budget is None and _is_all_here(run, received):
                return
    except _Ended:
        return
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        process.close()


def _ended(process: ProcessPipe) -> str:
    with contextlib.suppress(AssertionError):
        wait_until(lambda: process.exit_status is not None, 5)
    return f"the follower ended ({process.exit_status}): {process.errors}"


def _decoded(decoder: Decoder, data: bytes) -> list[Fact]:
    """Return the facts; bytes that a shell could not read in one go end the connection."""
    try:
        return decoder.feed(data)
    except LinkError as error:
        if error.kind != "protocol":
            raise
        raise _Ended from error


def _is_enough(received: Received, writer: Writer) -> bool:
    """Whether a patient reader saw files begin anew, and the log renamed."""
    lives = sum(len(lives) for lives in received.lives.values())
    return lives > 2 and writer.rotations > 0 and len(writer.log_lines) > 20


def _has_log(run: Path, received: Received) -> bool:
    """Whether all of the log that lies there now has come."""
    try:
        data = (run / files.LOG).read_bytes()
    except FileNotFoundError:
        return False
    return data.endswith(b"\n") and received.data(run, files.LOG) == data


def _lose_the_newest(received: Received, chance: random.Random, *, keep_log: bool) -> None:
    """Forget bytes at the end, as a crash of our own side does between two writes.

    What was written before the news that a file is gone is not lost when that news is not, nor
    (``keep_log``) what nobody can read again because the log was renamed.
    """
    for key, lives in received.lives.items():
        data = lives[-1].data
        kept = key in received.gone or (keep_log and key[1] == files.LOG)
        if chance.random() < 0.5 and not kept:
            del data[len(data) - chance.randint(0, min(3000, len(data))) :]


def _is_all_here(run: Path, received: Received) -> bool:
    names = (files.STATUS, files.METRICS, files.LOG)
    return all(
        received.data(run, name) == ((run / name).read_bytes() if (run / name).exists() else b"")
        for name in names
    )


def _compare(run: Path, received: Received, writer: Writer, kills: int) -> Outcome:
    metrics = (run / files.METRICS).read_bytes() if (run / files.METRICS).exists() else b""
    wanted = Counter(metrics.splitlines() + [line.rstrip(b"\n") for line in writer.log_lines])
    arrived = Counter(received.data(run, files.METRICS).splitlines())
    arrived += Counter(received.everything(run, files.LOG).splitlines())
    return Outcome(
        kills=kills,
        lines=wanted.total(),
        lost=(wanted - arrived).total(),
        repeated=(arrived - wanted).total(),
        generations=sum(len(lives) for lives in received.lives.values()),
    )
