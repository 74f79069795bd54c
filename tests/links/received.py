"""What arrived, put together as a mirror would: to compare with the files on the box."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from tui.facts import (
    Checkpoints,
    Fact,
    FileBegins,
    FileBytes,
    FileGone,
    FileTrouble,
    FileWhole,
    RunFound,
    RunGone,
    RunVitals,
    Stat,
    Vitals,
)
from tui.links.base import ResumeToken

Key = tuple[str, str]


@dataclass
class Generation:
    """One life of an append-only file."""

    base: int
    head: str
    head_size: int
    stat: Stat
    data: bytearray = field(default_factory=bytearray)

    @property
    def offset(self) -> int:
        return self.base + len(self.data)


@dataclass
class Received:
    """All files of all runs; ``lives`` keeps every generation of the files that grow."""

    runs: dict[str, RunFound] = field(default_factory=dict)
    whole: dict[Key, FileWhole] = field(default_factory=dict)
    lives: dict[Key, list[Generation]] = field(default_factory=dict)
    troubles: dict[Key, FileTrouble] = field(default_factory=dict)
    checkpoints: dict[str, Checkpoints] = field(default_factory=dict)
    vitals: dict[str, RunVitals] = field(default_factory=dict)
    gone: set[Key] = field(default_factory=set)

    def take(self, fact: Fact) -> None:
        """Take one fact; bytes must follow what came before without a gap."""
        match fact:
            case RunFound(path=path):
                self.runs[path] = fact
            case RunGone(path=path):
                self.runs.pop(path, None)
            case FileWhole(path=path, name=name):
                self.whole[path, name] = fact
                self.troubles.pop((path, name), None)
            case FileBegins(path=path, name=name):
                life = Generation(fact.offset, fact.head, fact.head_size, fact.stat)
                self.lives.setdefault((path, name), []).append(life)
                self.gone.discard((path, name))
                self.troubles.pop((path, name), None)
            case FileBytes(path=path, name=name):
                life = self.lives[path, name][-1]
                assert fact.offset == life.offset, f"{name}: {fact.offset} after {life.offset}"
                life.data += fact.data
                life.stat = fact.stat
                self.troubles.pop((path, name), None)
            case FileTrouble(path=path, name=name):
                self.troubles[path, name] = fact
            case FileGone(path=path, name=name):
                self.gone.add((path, name))
                self.whole.pop((path, name), None)
            case Checkpoints(path=path):
                self.checkpoints[path] = fact
            case Vitals(runs=runs):
                self.vitals = {run.path: run for run in runs}

    def data(self, path: object, name: str) -> bytes:
        """Return the newest life of a file, or the whole of a replaced one."""
        key = (str(path), name)
        if key in self.gone:
            return b""
        if key in self.whole:
            return self.whole[key].data
        return bytes(self.lives[key][-1].data) if key in self.lives else b""

    def everything(self, path: object, name: str) -> bytes:
        """Return all lives of a growing file, one after another."""
        return b"".join(bytes(life.data) for life in self.lives.get((str(path), name), []))

    def tokens(self) -> dict[Key, ResumeToken]:
        """Return where to go on: at the end of what is here of every growing file."""
        living = {key: lives for key, lives in self.lives.items() if key not in self.gone}
        return {key: self._token(lives[-1]) for key, lives in living.items()}

    def forget_torn_lines(self) -> None:
        """Drop what stands after the last newline, as a reader does that restarts there."""
        for lives in self.lives.values():
            data = lives[-1].data
            del data[data.rfind(b"\n") + 1 :]

    def _token(self, life: Generation) -> ResumeToken:
        tail = bytes(life.data[-64:])
        return ResumeToken(
            offset=life.offset,
            device=life.stat.device,
            inode=life.stat.inode,
            head=life.head,
            head_size=life.head_size,
            tail=hashlib.sha256(tail).hexdigest(),
            tail_size=len(tail),
        )
