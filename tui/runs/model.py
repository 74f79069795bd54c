"""A run, judged: the shapes behind ``boxtop status --json`` (schema_version 1) and the screen.

Unknown is ``None``, never 0 or "". Times are seconds since the epoch (UTC), durations seconds,
sizes bytes, money US dollars. Field order is the order of the JSON document.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from tui.money import Source

Verdict = Literal[
    "starting",
    "running",
    "stalled",
    "diverged",
    "dead",
    "stopped",
    "failed",
    "completed",
    "unknown",
]

NEEDS_A_PERSON: frozenset[Verdict] = frozenset({"failed", "dead", "stalled", "diverged"})
"""Verdicts that make ``boxtop status`` exit with 3."""


class Current(msgspec.Struct, frozen=True):
    """The watched metric now, named without its ``metrics/`` prefix."""

    name: str | None
    value: float | None


class Best(msgspec.Struct, frozen=True):
    """The best value of the watched metric and the epoch it came from."""

    name: str | None
    value: float | None
    epoch: int | None


class RunError(msgspec.Struct, frozen=True):
    """The exception a failed run wrote into its status.json."""

    type: str | None
    message: str | None


class Saved(msgspec.Struct, frozen=True):
    """Where a checkpoint was proven to be saved; ``current`` while it equals the box's file.

    ``epoch`` is the one it held, beyond the JSON document.
    """

    where: str
    sha256: str
    commit: str | None
    at: float
    current: bool
    epoch: int | None = None


class Checkpoint(msgspec.Struct, frozen=True):
    """One file below ``weights/``; ``complete`` is null when nobody looked inside."""

    name: str
    bytes: int
    modified_at: float
    complete: bool | None = None
    saved: Saved | None = None


class Cost(msgspec.Struct, frozen=True):
    """What a run has cost, will cost, and wasted since it ended, died or stalled.

    Beyond the JSON document: what an epoch costs, and where the price comes from.
    """

    so_far: float | None
    to_finish: float | None
    wasted: float | None
    per_epoch: float | None = None
    source: Source = "unknown"


class Diagnosis(msgspec.Struct, frozen=True):
    """Why a run ended or hangs, read from its logs and the box.

    ``kind`` is a short fixed word (``gpu_out_of_memory``, ``shared_memory``, ``killed_by_oom``,
    ``killed``, ``disk_full``, ``exception``, …); ``summary`` one line for people; ``hint`` what to
    do next; ``excerpt`` the traceback's lines; ``source`` the path of the log they came from.
    """

    kind: str
    summary: str
    hint: str | None = None
    excerpt: tuple[str, ...] = ()
    source: str | None = None


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """Everything boxtop says of one run at one moment."""

    id: str
    path: str
    model: str | None = None
    task: str | None = None
    reported_state: str | None = None
    verdict: Verdict = "unknown"
    reason: str | None = None
    early_stopped: bool = False
    resumed: bool = False
    epoch: int | None = None
    total_epochs: int | None = None
    progress: float | None = None
    epoch_s: float | None = None
    eta_s: float | None = None
    train_loss: float | None = None
    current: Current | None = None
    best: Best | None = None
    started_at: float | None = None
    updated_at: float | None = None
    age_s: float | None = None
    pid: int | None = None
    pid_alive: bool | None = None
    bad_lines: int = 0
    error: RunError | None = None
    checkpoints: tuple[Checkpoint, ...] = ()
    cost: Cost | None = None

    # Beyond the JSON document: what the screen and the text output say in words.
    headline: str = ""
    """One line: ``epoch 12/100``, ``completed - stopped early at 37/100``, ``epoch 1/100 - warming
    up 6:40``, ``interrupted (Ctrl-C) in epoch 5``, ``DEAD (was running, epoch 12/100)``."""
    eta_text: str = "-"
    """``1:28:58``, ``overdue +0:39`` or ``-``."""
    derived: bool = False
    """True when status.json could not be read and the state comes from what is left."""
    warnings: tuple[str, ...] = ()
    """Lines that a person should read: loss not finite since epoch 3, disk full, 2 bad lines, …"""
    diagnosis: Diagnosis | None = None
    ended_at: float | None = None
    """When the run ended, died or was last seen moving; None while it runs well."""
