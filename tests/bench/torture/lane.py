"""One tortured box: a writer, a server behind a relay, our reader, and who kills which of them."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field

from tests.bench.bench import Bench
from tests.bench.boxes import introduce, near_box
from tests.bench.processes import command, descendants, kill
from tests.bench.torture.reader import summary
from tests.bench.torture.writer import GrowingFile, Writer
from tests.relay import Relay
from tui.runs import files
from tui.runs.log import LogTail
from tui.runs.metrics import Metrics

KINDS = ("follower", "session", "reader", "cut", "drop")
SETTLE_SECONDS = 30.0
LOOK_SECONDS = 0.05
CALM_EVERY = 4
NEVER = 1 << 40


@dataclass
class Toll:
    """What the torture cost. ``faults`` are one line each, with the seed that made them."""

    kills: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    repeated: int = 0
    lines: int = 0
    generations: int = 0
    faults: list[str] = field(default_factory=list)


class Lane:
    """One box and its watcher. ``seed`` makes every choice but the kernel's timing."""

    def __init__(self, bench: Bench, stack: ExitStack, number: int, seed: int) -> None:
        self.name = f"seed {seed} lane {number}"
        self.toll = Toll()
        self._chance = random.Random(f"{seed}/{number}")
        self._server = stack.enter_context(near_box(bench, f"box{number}"))
        self._relay = stack.enter_context(Relay(self._server.port))
        introduce(bench, self._server, f"[127.0.0.1]:{self._relay.port}")
        root = bench.directory / f"runs{number}"
        self._writer = Writer(root, fixed=number % 2 == 0)
        stack.callback(self._writer.close)
        self._data = bench.directory / f"data{number}"
        self._log = bench.directory / f"reader{number}"
        target = self._server.target
        self._command = [
            *(sys.executable, "-m", "tests.bench.torture.reader", target.host),
            *(str(self._relay.port), self._server.user, str(self._server.key.path)),
            *(str(root), str(self._writer.console_path), str(self._data)),
        ]
        self._reader = self._start()
        stack.callback(self._stop)

    def run(self, kills: int, until: float) -> Toll:
        """Kill so often, or until the time is over; every kill is followed by a reckoning."""
        self._settle("at first")
        rounds = 0
        while self.toll.kills.total() < kills and time.monotonic() < until:
            rounds += 1
            kind = self._chance.choice(KINDS)
            self._round(kind)
            if not self._settle(f"round {rounds} ({kind})"):
                self._restart()
            elif rounds % CALM_EVERY == 0:
                self._calm(f"calm after round {rounds}")
        self.toll.lines = sum(file.lines_written for file in self._writer.files.values())
        self.toll.generations = sum(len(file.generations) for file in self._writer.files.values())
        return self.toll

    def _round(self, kind: str) -> None:
        """Write for a moment, and kill in the middle of it."""
        seconds = self._chance.uniform(0.1, 0.9)
        chance = random.Random(self._chance.random())
        writing = threading.Thread(target=self._writer.misbehave, args=(chance, seconds))
        writing.start()
        time.sleep(self._chance.uniform(0.0, seconds))
        self._kill(kind)
        writing.join()

    def _kill(self, kind: str) -> None:
        match kind:
            case "follower":
                for pid in self._followers():
                    kill(pid)
                    self.toll.kills[kind] += 1
            case "session":
                self.toll.kills[kind] += min(1, self._server.kill_connections())
            case "reader":
                self._restart()
                self.toll.kills[kind] += 1
            case "cut":
                self._relay.cut_after(self._chance.randrange(1, 20_000))
                self.toll.kills[kind] += 1
            case _:
                self._relay.drop()
                self.toll.kills[kind] += 1

    def _followers(self) -> list[int]:
        return [
            pid
            for connection in self._server.connections()
            for pid in descendants(connection)
            if " -S -E -u -c " in command(pid)
        ][:1]

    def _restart(self) -> None:
        """Kill our side, look at what it left, start it again on the same mirror."""
        kill(self._reader.pid)
        self._reader.communicate()
        self._check_prefixes()
        if self._chance.random() < 0.5:
            time.sleep(self._chance.uniform(0, 0.3))
        self._reader = self._start()

    def _start(self) -> subprocess.Popen[str]:
        with self._log.open("ab") as errors:
            return subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )

    def _stop(self) -> None:
        kill(self._reader.pid)
        self._reader.communicate()

    def _settle(self, when: str) -> bool:
        """Wait until the mirror is the box's equal; what stays different is counted as a fault."""
        until = time.monotonic() + SETTLE_SECONDS
        while self._differences() or not self._holds_all():
            if time.monotonic() > until:
                self._reckon(when)
                return False
            time.sleep(LOOK_SECONDS)
        return True

    def _reckon(self, when: str) -> None:
        """Count what is still different."""
        differing = self._differences()
        for name in differing:
            self._count(when, name)
        if not differing:
            told = f"the screen holds {self._ask()}, the box {self._expected()}"
            self._fault(when, told)
            self.toll.lost += 1

    def _differences(self) -> list[str]:
        return [
            name for name, file in self._writer.files.items() if self._copy(name) != file.content
        ]

    def _count(self, when: str, name: str) -> None:
        have = Counter(self._copy(name).splitlines())
        want = Counter(self._writer.files[name].content.splitlines())
        lost, repeated = (want - have).total(), (have - want).total()
        self.toll.lost += lost
        self.toll.repeated += repeated
        sizes = f"{len(self._copy(name))} of {len(self._writer.files[name].content)} B"
        told = f"{name}: {lost} lost, {repeated} too many, {sizes}; {self._ask()}"
        self._fault(when, told)

    def _fault(self, when: str, told: str) -> None:
        self.toll.faults.append(f"{self.name}, {when}: {told}")

    def _holds_all(self) -> bool:
        answer = self._ask()
        return all(answer.get(name) == value for name, value in self._expected().items())

    def _ask(self) -> dict[str, object]:
        assert self._reader.stdin is not None
        assert self._reader.stdout is not None
        self._reader.stdin.write("?\n")
        self._reader.stdin.flush()
        answer: dict[str, object] = json.loads(self._reader.stdout.readline())
        return answer

    def _expected(self) -> dict[str, object]:
        """What the box's own files say, read at once."""
        metrics, log, console = Metrics(), LogTail(), LogTail()
        for name, reader in (
            (files.METRICS, metrics),
            (files.LOG, log),
            (files.CONSOLE, console),
        ):
            reader.feed(self._writer.files[name].content)
        if not metrics.epochs:
            metrics = Metrics(csv=True)
            metrics.feed(self._writer.files[files.RESULTS].content)
        return summary(metrics, log, console)

    def _copy(self, name: str) -> bytes:
        """The mirror's copy; none for the instant in which a new life takes the name."""
        copy = next(self._data.glob(f"boxes/*/*/*/{name}"), None)
        try:
            return copy.read_bytes() if copy else b""
        except FileNotFoundError:
            return b""

    def _check_prefixes(self) -> None:
        """Whatever moment our side died at: a copy is the beginning of one life of its file."""
        for name, file in self._writer.files.items():
            for copied in (name, f"{name}.1"):
                data = self._copy(copied)
                with file.lock:
                    fits = any(life.startswith(data) for life in file.generations)
                if not fits:
                    self.toll.repeated += 1
                    self._fault("after a kill", f"{copied}: no life of the file begins like this")

    def _wait_for_link(self) -> None:
        """Wait until somebody watches: what is deleted while nobody does is gone for everyone."""
        until = time.monotonic() + SETTLE_SECONDS
        quiet = 0
        while quiet < 10 and time.monotonic() < until:
            quiet = quiet + 1 if self._ask().get("link") == "live" and self._followers() else 0
            time.sleep(LOOK_SECONDS)

    def _calm(self, when: str) -> None:
        """Without any kill, a rotation or a deletion loses nothing of the old file either."""
        self._relay.cut_after(NEVER)
        self._wait_for_link()
        file: GrowingFile
        for name, file in self._writer.files.items():
            file.append(self._chance.randrange(1, 200))
            way = self._chance.choice((file.rotate, file.recreate, file.regrow))
            if way == file.regrow:
                self._settle(when)
            way(self._chance.randrange(1, 5))
            file.append(self._chance.randrange(1, 50))
            if not self._settle(f"{when}, {way.__name__} of {name}"):
                return
            old = bytes(file.generations[-2])
            if self._copy(f"{name}.1") != old:
                have = Counter(self._copy(f"{name}.1").splitlines())
                missing = (Counter(old.splitlines()) - have).total()
                self.toll.lost += missing
                told = f"{name}.1: {missing} lines of the old file are missing"
                self._fault(f"{when}, {way.__name__}", told)
