"""All that is known about one run at one moment: what a verdict is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tui.facts import CheckpointStat, Disk, FileTrouble, Process, Stat
from tui.money import Source
from tui.runs.log import LogTail
from tui.runs.metrics import Metrics
from tui.runs.proofs import Proof


@dataclass(frozen=True, slots=True)
class Evidence:
    """Raw facts of one run.

    ``now`` is the box's clock at the last contact: verdicts are judged by it, so that link trouble
    never changes a verdict. ``clock`` is the box's clock carried on to this moment: ages and ETAs
    count by it. ``process`` is None from a mirror or a recording, or when status.json names no pid.
    ``files`` maps a file's name to its last known stat, ``troubles`` to why it cannot be read.
    ``price_per_hour`` is what the box costs while it runs, ``price_now`` what it costs at this
    moment where that is another price, both in US dollars; ``price_source`` says who told it.
    """

    id: str
    path: str
    now: float
    clock: float
    status: bytes | None
    metrics: Metrics
    log: LogTail
    console: LogTail
    results: Metrics | None = None
    console_path: str | None = None
    config: bytes | None = None
    files: Mapping[str, Stat] = field(default_factory=dict)
    troubles: Mapping[str, FileTrouble] = field(default_factory=dict)
    process: Process | None = None
    disk: Disk | None = None
    shm: Disk | None = None
    oom_kills: int | None = None
    checkpoints: tuple[CheckpointStat, ...] = ()
    proofs: tuple[Proof, ...] = ()
    killed_by_boxtop: bool = False
    price_per_hour: float | None = None
    price_now: float | None = None
    price_source: Source = "user"
