"""What was observed on a box: the words that travel from a link to the mirror and on.

Every link (ssh, local, recording) speaks these facts and nothing else; nothing here does I/O.
Times are seconds since the epoch by the BOX's clock, sizes are bytes. Paths and names are text
decoded with ``surrogateescape``: they are hostile and are cleaned before they are shown.
"""

from __future__ import annotations

from typing import Literal

import msgspec

FollowerKind = Literal["python", "sh", "sftp", "recording"]
ProcessState = Literal["alive", "zombie", "gone", "unreadable"]


class Stat(msgspec.Struct, frozen=True):
    """Identity and change time of one file; ``mode`` holds permission bits, ``owner`` a name."""

    size: int
    mtime: float
    inode: int = 0
    device: int = 0
    mode: int = 0o644
    owner: str = ""


class Hello(msgspec.Struct, frozen=True, tag=True):
    """First fact of every connection: who follows, and the box's clock at that moment."""

    follower: FollowerKind
    box_time: float
    user: str = ""
    hostname: str = ""
    searched: tuple[str, ...] = ()
    missing_tools: tuple[str, ...] = ()


class RunFound(msgspec.Struct, frozen=True, tag=True):
    """A run directory was found: ``path`` is absolute on the box, ``id`` its path below ``root``.

    A root that is itself a run has its own directory name as ``id``. ``path`` is the key by which
    every later fact names the run.
    """

    path: str
    id: str
    root: str


class RunGone(msgspec.Struct, frozen=True, tag=True):
    """The run directory has not been seen in three searches."""

    path: str


class FileWhole(msgspec.Struct, frozen=True, tag=True):
    """The whole content of a file that its writer replaces (status.json, train_config.yaml, …)."""

    path: str
    name: str
    data: bytes
    stat: Stat


class FileBegins(msgspec.Struct, frozen=True, tag=True):
    """A new generation of an append-only file begins at ``offset``; older bytes no longer count.

    ``head`` is the sha256 hex of the first ``min(256, size)`` bytes, ``head_size`` their number:
    together with device and inode they recognise the file when following resumes.
    """

    path: str
    name: str
    offset: int
    head: str
    head_size: int
    stat: Stat


class ResumeToken(msgspec.Struct, frozen=True):
    """Where following an append-only file goes on: see ``FileBegins`` for ``head``.

    ``tail`` is the sha256 hex of the last ``tail_size`` (≤ 64) bytes before ``offset``. Any
    mismatch on the box starts a new generation.
    """

    offset: int
    device: int
    inode: int
    head: str
    head_size: int
    tail: str
    tail_size: int


class FileBytes(msgspec.Struct, frozen=True, tag=True):
    """Bytes appended at ``offset`` of the current generation."""

    path: str
    name: str
    offset: int
    data: bytes
    stat: Stat


class FileTrouble(msgspec.Struct, frozen=True, tag=True):
    """A file could not be read: ``error`` is an errno name (EACCES, ESTALE, EIO, …)."""

    path: str
    name: str
    error: str
    stat: Stat | None = None


class FileGone(msgspec.Struct, frozen=True, tag=True):
    """A file that was there is no longer (metrics.jsonl at a fresh start)."""

    path: str
    name: str


class CheckpointStat(msgspec.Struct, frozen=True):
    """One ``weights/*.pt``; ``complete`` by its zip directory, null if nobody looked."""

    name: str
    size: int
    mtime: float
    inode: int = 0
    complete: bool | None = None


class Checkpoints(msgspec.Struct, frozen=True, tag=True):
    """All checkpoints of a run, sent when any of them changed."""

    path: str
    files: tuple[CheckpointStat, ...] = ()


class Task(msgspec.Struct, frozen=True):
    """A process of a training's tree."""

    pid: int
    parent: int
    command: str
    state: ProcessState = "alive"


class Process(msgspec.Struct, frozen=True):
    """What the process table says of the pid in status.json.

    ``started_at`` and ``command`` tell a reused pid from the training; ``tree`` holds the other
    processes of the same training (launcher, coordinator, ranks), without this one.
    """

    pid: int
    state: ProcessState
    started_at: float | None = None
    command: str = ""
    ignores_sigint: bool | None = None
    tree: tuple[Task, ...] = ()


class Disk(msgspec.Struct, frozen=True):
    """Free space and inodes of the file system that holds ``path`` (for a non-root writer)."""

    path: str
    free: int
    total: int
    inodes_free: int | None = None
    inodes_total: int | None = None


class Gpu(msgspec.Struct, frozen=True):
    """One GPU as nvidia-smi reports it; memory in bytes, ``util`` in per cent."""

    index: int
    name: str
    util: float | None = None
    memory_used: int | None = None
    memory_total: int | None = None
    temperature_c: float | None = None
    power_w: float | None = None


class RunVitals(msgspec.Struct, frozen=True):
    """The live facts of one run; ``console`` is the path of its console log, where one is known."""

    path: str
    process: Process | None = None
    disk: Disk | None = None
    console: str | None = None


class Vitals(msgspec.Struct, frozen=True, tag=True):
    """The box's and its runs' live facts at ``box_time``.

    ``gpu_error`` is a short reason when GPUs should answer but do not ("timed out after 5 s", or
    nvidia-smi's own words); a box without nvidia-smi has no GPUs and no error. ``oom_kills`` counts
    the cgroup's oom_kill events since boot. ``shm`` is /dev/shm.
    """

    box_time: float
    runs: tuple[RunVitals, ...] = ()
    gpus: tuple[Gpu, ...] = ()
    gpu_error: str | None = None
    load1: float | None = None
    cpus: int | None = None
    memory_used: int | None = None
    memory_total: int | None = None
    shm: Disk | None = None
    oom_kills: int | None = None


class Beat(msgspec.Struct, frozen=True, tag=True):
    """A sign of life with the box's clock; also says that all older facts have been sent."""

    box_time: float


class Settled(msgspec.Struct, frozen=True, tag=True):
    """Everything known of the box has been sent once: a one-shot look is complete."""

    box_time: float


class Notice(msgspec.Struct, frozen=True, tag=True):
    """Something the person should read once (a tool is missing, an option was ignored)."""

    text: str


Fact = (
    Hello
    | RunFound
    | RunGone
    | FileWhole
    | FileBegins
    | FileBytes
    | FileTrouble
    | FileGone
    | Checkpoints
    | Vitals
    | Beat
    | Settled
    | Notice
)
