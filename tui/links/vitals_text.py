"""What a box's own files and tools print, understood: GPUs, memory, load, disks, processes."""

from __future__ import annotations

import math

from tui.facts import Disk, Gpu, Process, ProcessState, RunVitals, Task, Vitals

MAX_SIZE = 8_000_000
"""What a box may say of itself at one time, and of its runs in all, in bytes."""

ITEM_OVERHEAD = 100
MAX_GPUS = 256
MIB = 1024 * 1024
KIB = 1024
UNLIMITED = 1 << 60
"""A cgroup limit above this means none."""

_STATES: dict[str, ProcessState] = {
    "alive": "alive",
    "zombie": "zombie",
    "gone": "gone",
    "unreadable": "unreadable",
}


class VitalsReader:
    """Gathers ``name value`` items until they make one Vitals.

    Facts of the box come anew every time; a run's facts come when they changed and are kept.
    """

    def __init__(self) -> None:
        self._box: dict[str, str] = {}
        self._disks: dict[str, str] = {}
        self._runs: dict[str, list[tuple[str, str]]] = {}
        self._run: list[tuple[str, str]] | None = None
        self._size = 0
        self._kept = 0

    def forget(self, path: str) -> None:
        """The run is gone."""
        for _, value in self._runs.pop(path, ()):
            self._kept -= len(value) + ITEM_OVERHEAD

    def begin_run(self, path: str) -> None:
        """The next items are of this run, and replace what was known of it."""
        self.forget(path)
        self._run = self._runs[path] = []

    def end_run(self) -> None:
        """The next items are of no run that is known."""
        self._run = None

    def add(self, name: str, value: bytes) -> None:
        """Take one item. Raises ValueError when a box says absurdly much."""
        text = value.decode("utf-8", "surrogateescape")
        self._size += len(text) + ITEM_OVERHEAD
        if name in _RUN_ITEMS and self._run is not None:
            self._kept += len(text) + ITEM_OVERHEAD
            self._run.append((name, text))
        elif name == "disk":
            device, _, numbers = text.partition(" ")
            self._disks[device] = numbers
        elif name in ("df", "dfi"):
            device, _, printed = text.partition("\n")
            known = self._disks.get(device, "")
            self._disks[device] = f"{known} {read_df(printed, name == 'dfi')}".strip()
        elif name in _BOX_ITEMS:
            self._box[name] = text
        if max(self._size, self._kept) > MAX_SIZE:
            raise ValueError("more than any box has to say")

    def finish(self, box_time: float) -> Vitals:
        """Return everything known now, and start the next collection."""
        box, disks = self._box, self._disks
        gpus, complaint = read_gpus(box.get("gpus", ""))
        used, total = read_memory(box)
        vitals = Vitals(
            box_time=box_time,
            runs=tuple(_run_vitals(path, items, disks) for path, items in self._runs.items()),
            gpus=gpus,
            gpu_error=box.get("gpu_error") or complaint,
            load1=_number(box.get("loadavg", "").split(" ")[0]),
            cpus=read_cpus(box.get("cpus", ""), box.get("cgroup_cpu", "")),
            memory_used=used,
            memory_total=total,
            shm=read_space("/dev/shm", box.get("shm", "") or read_df(box.get("shm_df", ""))),
            oom_kills=_labelled(box.get("oom", ""), "oom_kill"),
        )
        self._box, self._disks, self._run, self._size = {}, {}, None, 0
        return vitals


_BOX_ITEMS = frozenset(
    {"loadavg", "meminfo", "cpus", "cgroup_limit", "cgroup_used", "cgroup_stat", "cgroup_cpu"}
    | {"oom", "shm", "shm_df", "gpus", "gpu_error"}
)
_RUN_ITEMS = frozenset({"process", "command", "task", "device", "console"})


def read_gpus(text: str) -> tuple[tuple[Gpu, ...], str | None]:
    """Return the GPUs of nvidia-smi's csv, and its own words where a line is none.

    Columns: index, name, utilization.gpu, memory.used, memory.total (MiB), temperature.gpu,
    power.draw. What a GPU does not report (``[N/A]``, ``[Unknown Error]``) is None.
    """
    gpus: list[Gpu] = []
    complaint: str | None = None
    for line in text.splitlines()[:MAX_GPUS]:
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) >= 7 and cells[0].isascii() and cells[0].isdigit():
            gpus.append(
                Gpu(
                    index=int(cells[0][:6]),
                    name=", ".join(cells[1:-5]),
                    util=_within(cells[-5], 0, 100),
                    memory_used=_mebibytes(cells[-4]),
                    memory_total=_mebibytes(cells[-3]),
                    temperature_c=_within(cells[-2], -1000, 1000),
                    power_w=_within(cells[-1], 0, 100_000),
                )
            )
        elif line.strip() and complaint is None:
            complaint = line.strip()[:200]
    return tuple(gpus), complaint


def read_memory(box: dict[str, str]) -> tuple[int | None, int | None]:
    """Return used and total bytes: of the cgroup where it has a limit, else of the machine."""
    meminfo = box.get("meminfo", "")
    total = _labelled(meminfo, "MemTotal:", KIB)
    free = _labelled(meminfo, "MemAvailable:", KIB)
    if free is None:
        parts = [_labelled(meminfo, name, KIB) for name in ("MemFree:", "Cached:")]
        free = None if None in parts else sum(part or 0 for part in parts)
    used = None if total is None or free is None else max(0, total - free)
    limit = _integer(box.get("cgroup_limit", ""))
    if limit is not None and limit < (total or UNLIMITED):
        inside = _integer(box.get("cgroup_used", ""))
        stat = box.get("cgroup_stat", "")
        cache = _labelled(stat, "total_inactive_file") or _labelled(stat, "inactive_file") or 0
        return (None if inside is None else max(0, inside - cache)), limit
    return used, total


def read_cpus(text: str, quota: str) -> int | None:
    """Return how many CPUs may be used; ``quota`` is cgroup v2's ``cpu.max``."""
    count = _integer(text)
    allowed, _, period = quota.partition(" ")
    share, of = _number(allowed), _number(period)
    if share and of:
        limited = max(1, math.ceil(share / of))
        return limited if count is None else min(count, limited)
    return count


def read_space(path: str, numbers: str) -> Disk | None:
    """Return a disk from ``free total inodes_free inodes_total``; no inodes are not counted."""
    parts = [_integer(part) for part in numbers.split(" ")]
    if len(parts) < 2 or parts[0] is None or parts[1] is None:
        return None
    inodes_free, inodes_total = [*parts, None, None][2:4]
    if not inodes_total:
        inodes_free = inodes_total = None
    return Disk(path, parts[0], parts[1], inodes_free, inodes_total)


def read_df(text: str, inodes: bool = False) -> str:
    """Return ``free total`` of what ``df -Pk`` printed in bytes, of ``df -Pi`` in inodes."""
    lines = text.splitlines()
    cells = lines[-1].split() if len(lines) > 1 else []
    numbers = [_integer(cell) for cell in cells[1:4]]
    if len(numbers) < 3 or numbers[0] is None or numbers[2] is None:
        return ""
    unit = 1 if inodes else KIB
    return f"{numbers[2] * unit} {numbers[0] * unit}"


def read_process(text: str, command: str, tasks: tuple[Task, ...]) -> Process | None:
    """Return a process from ``pid state started_at ignores_sigint``."""
    parts = [*text.split(" "), "-", "-", "-"][:4]
    pid, state = _integer(parts[0]), _STATES.get(parts[1])
    if pid is None or state is None:
        return None
    return Process(
        pid=pid,
        state=state,
        started_at=_number(parts[2]),
        command=command,
        ignores_sigint={"0": False, "1": True}.get(parts[3]),
        tree=tasks,
    )


def read_task(text: str) -> Task | None:
    """Return a process of a tree from ``pid parent state command``."""
    parts = [*text.split(" ", 3), "", "", "", ""][:4]
    pid, parent, state = _integer(parts[0]), _integer(parts[1]), _STATES.get(parts[2])
    if pid is None or parent is None or state is None:
        return None
    return Task(pid, parent, parts[3], state)


def _run_vitals(path: str, items: list[tuple[str, str]], disks: dict[str, str]) -> RunVitals:
    known = dict(items)
    read = (read_task(text) for name, text in items if name == "task")
    tasks = tuple(task for task in read if task is not None)
    return RunVitals(
        path=path,
        process=read_process(known.get("process", ""), known.get("command", ""), tasks),
        disk=read_space(path, disks.get(known.get("device", ""), "")),
        console=known.get("console"),
    )


def _within(text: str, least: float, most: float) -> float | None:
    """Return a number that a GPU can report; what lies outside is no news of a GPU."""
    value = _number(text)
    return value if value is not None and least <= value <= most else None


def _mebibytes(text: str) -> int | None:
    """Return bytes of a size in MiB, at most a pebibyte."""
    value = _within(text, 0, 1 << 30)
    return None if value is None else int(value * MIB)


def _number(text: str) -> float | None:
    """Return a finite number, None for anything else."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _integer(text: str) -> int | None:
    text = text.strip()
    if not text.isascii() or not text.isdigit() or len(text) > 19:
        return None
    return int(text)


def _labelled(text: str, label: str, unit: int = 1) -> int | None:
    """Return the number on the line that starts with a label."""
    for line in text.splitlines():
        parts = line.split()
        if len(parts) > 1 and parts[0] == label:
            number = _integer(parts[1])
            return None if number is None else number * unit
    return None
