"""One run as it is known now: its bytes parsed as they come, and mirrored on the way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import msgspec

from tui.facts import (
    Checkpoints,
    CheckpointStat,
    FileBegins,
    FileBytes,
    FileGone,
    FileTrouble,
    FileWhole,
    ResumeToken,
    RunFound,
    RunVitals,
    Stat,
    Vitals,
)
from tui.money import Source
from tui.runs import files
from tui.runs.ended import EndedFile
from tui.runs.evidence import Evidence
from tui.runs.log import LogTail
from tui.runs.metrics import Metrics
from tui.runs.mirror import MirrorError, RunMirror
from tui.runs.model import Run
from tui.runs.proofs import ProofFile
from tui.view import PendingView, RunView
from tui.watch.gone import Gone
from tui.watch.unsettled import Unsettled

RunFact = FileWhole | FileBegins | FileBytes | FileGone | FileTrouble | Checkpoints


class Reader(Protocol):
    """What takes the bytes of an append-only file."""

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""

    def reset(self) -> None:
        """Begin anew."""


class Growth(msgspec.Struct):
    """How far an append-only file has been read, and which file it was."""

    end: int
    device: int
    inode: int
    head: str


class RunState:
    """Everything known of one run; ``mirror`` and ``proofs`` are None where nothing is kept.

    ``revision`` changes with every fact. ``live`` is True once a link has spoken of its process.
    ``id`` is what the run is called among all of its box.
    """

    def __init__(
        self, found: RunFound, mirror: RunMirror | None, proofs: ProofFile | None = None
    ) -> None:
        self.found = found
        self.id = found.id
        self.mirror = mirror
        self.proofs = proofs
        self._ended = EndedFile(proofs) if proofs else None
        self._unsettled = Unsettled(proofs) if proofs else None
        self.revision = 0
        self.live = False
        self.metrics = Metrics()
        self.results = Metrics(csv=True)
        self.log = LogTail()
        self.console = LogTail()
        self.whole: dict[str, bytes] = {}
        self.stats: dict[str, Stat] = {}
        self.troubles: dict[str, FileTrouble] = {}
        self.checkpoints: tuple[CheckpointStat, ...] = ()
        self.vitals: RunVitals | None = None
        self._growth: dict[str, Growth] = {}
        self._gone = Gone()
        self._readers: dict[str, Reader] = {
            files.METRICS: self.metrics,
            files.RESULTS: self.results,
            files.LOG: self.log,
            files.CONSOLE: self.console,
        }
        if mirror is not None:
            self._load(mirror)

    def apply(self, fact: RunFact) -> None:
        """Take one fact of this run.

        Raises MirrorError when bytes are missing: the link must be opened again.
        """
        self.revision += 1
        match fact:
            case FileWhole() | FileBegins() | FileBytes():
                for name in self._gone.come(fact.name):
                    self._forget(name)
                self._take(fact)
            case FileGone():
                self._lose(fact.name)
            case FileTrouble():
                self.troubles[fact.name] = fact
                if fact.stat is not None:
                    self.stats[fact.name] = fact.stat
            case Checkpoints():
                self.checkpoints = fact.files
                if self.mirror is not None:
                    self.mirror.meta.checkpoints = fact.files

    def set_vitals(self, vitals: RunVitals, *, live: bool = True) -> None:
        """Take the live facts of the run's process, disk and console log.

        They are not ``live`` when a recording tells them.
        """
        if vitals != self.vitals:
            self.revision += 1
        self.vitals = vitals
        self.live = live
        if self.mirror is not None:
            self.mirror.meta.vitals = vitals

    def tokens(self) -> Iterator[tuple[tuple[str, str], ResumeToken]]:
        """Yield where each append-only file goes on after a lost link or a restart."""
        if self.mirror is None:
            return
        for name in self._readers:
            token = self.mirror.token(name)
            if token is not None:
                yield (self.found.path, name), token

    def kept_files(self) -> Iterator[tuple[str, bytes, float]]:
        """Yield name, content and time of the files of which only what follows will be sent."""
        if self.mirror is None:
            return
        for name in self._readers:
            stat = self.mirror.stat(name)
            if stat is not None and self.mirror.token(name) is not None:
                yield name, self.mirror.read(name), stat.mtime

    def evidence(
        self,
        now: float,
        clock: float,
        box: Vitals | None,
        prices: tuple[float | None, float | None, Source],
    ) -> Evidence:
        """Gather what a verdict is made from; times and prices as in ``Evidence``."""
        vitals = self.vitals
        return Evidence(
            id=self.id,
            path=self.found.path,
            now=now,
            clock=clock,
            status=self.whole.get(files.STATUS),
            config=self.whole.get(files.CONFIG),
            metrics=self.metrics,
            results=self.results,
            log=self.log,
            console=self.console,
            console_path=vitals.console if vitals else None,
            files=self.stats,
            troubles=self.troubles,
            process=vitals.process if vitals else None,
            disk=vitals.disk if vitals else None,
            shm=box.shm if box else None,
            oom_kills=box.oom_kills if box else None,
            checkpoints=self.checkpoints,
            proofs=self.proofs.standing() if self.proofs else (),
            killed_by_boxtop=self._was_ended(),
            price_per_hour=prices[0],
            price_now=prices[1],
            price_source=prices[2],
        )

    def view(self, judged: Run, disk_full_in_s: float | None, now: float) -> RunView:
        """Return what people see of it, as it was judged; ``now`` is this machine's time."""
        vitals = self.vitals
        return RunView(
            run=judged,
            metrics=self.metrics if self.metrics.epochs else self.results,
            log=self.log,
            console=self.console,
            console_path=vitals.console if vitals else None,
            disk=vitals.disk if vitals else None,
            disk_full_in_s=disk_full_in_s,
            pending=self.pending(now),
        )

    def pending(self, now: float) -> tuple[PendingView, ...]:
        """Return its pushes whose end is not known; ``now`` is this machine's time."""
        return self._unsettled.views(now) if self._unsettled else ()

    def detach(self) -> None:
        """Go on in memory only: the mirror cannot be written."""
        self.mirror = None

    def _was_ended(self) -> bool:
        """Whether boxtop told this very training to end."""
        record = self._ended.record() if self._ended else None
        return record is not None and record.explains(self.whole.get(files.STATUS))

    def _take(self, fact: FileWhole | FileBegins | FileBytes) -> None:
        match fact:
            case FileWhole():
                self._take_whole(fact)
            case FileBegins():
                self._begin(fact)
            case FileBytes():
                self._grow(fact)

    def _take_whole(self, fact: FileWhole) -> None:
        self.whole[fact.name] = fact.data
        self.stats[fact.name] = fact.stat
        self.troubles.pop(fact.name, None)
        if self.mirror is not None:
            self.mirror.write_whole(fact)

    def _begin(self, fact: FileBegins) -> None:
        reader = self._readers.get(fact.name)
        if reader is None:
            return
        known = self._growth.get(fact.name)
        stat = fact.stat
        same = known is not None and (known.device, known.inode, known.head) == (
            stat.device,
            stat.inode,
            fact.head,
        )
        if same and known is not None and fact.offset > known.end and fact.name in files.TAILED:
            skipped = fact.offset - known.end
            reader.feed(f"\n… {skipped} bytes skipped: the log grew too fast …\n".encode())
        else:
            reader.reset()
        self._growth[fact.name] = Growth(fact.offset, stat.device, stat.inode, fact.head)
        self.stats[fact.name] = stat
        self.troubles.pop(fact.name, None)
        if self.mirror is not None:
            self.mirror.begin(fact)

    def _grow(self, fact: FileBytes) -> None:
        reader = self._readers.get(fact.name)
        if reader is None:
            return
        growth = self._growth.get(fact.name)
        if growth is None or fact.offset > growth.end:
            raise MirrorError(f"{fact.name}: bytes before {fact.offset} are missing")
        new = fact.data[growth.end - fact.offset :]
        growth.end += len(new)
        self.stats[fact.name] = fact.stat
        self.troubles.pop(fact.name, None)
        reader.feed(new)
        if self.mirror is not None:
            self.mirror.append(fact)

    def _lose(self, name: str) -> None:
        if self._gone.lose(name, self.stats.get(name), self.whole.get(files.STATUS)):
            self._forget(name)

    def _forget(self, name: str) -> None:
        self.whole.pop(name, None)
        self.stats.pop(name, None)
        self.troubles.pop(name, None)
        self._growth.pop(name, None)
        if name in self._readers:
            self._readers[name].reset()
        if self.mirror is not None:
            self.mirror.remove_file(name)

    def _load(self, mirror: RunMirror) -> None:
        for name in files.REPLACED:
            stat = mirror.stat(name)
            if stat is not None:
                self.whole[name] = mirror.read(name)
                self.stats[name] = stat
        for name, reader in self._readers.items():
            stat, token = mirror.stat(name), mirror.token(name)
            if stat is None or token is None:
                continue
            reader.feed(mirror.read(name))
            self.stats[name] = stat
            self._growth[name] = Growth(token.offset, token.device, token.inode, token.head)
        self.checkpoints = mirror.meta.checkpoints
        self.vitals = mirror.meta.vitals
