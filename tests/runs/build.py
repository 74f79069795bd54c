"""Evidence from the directories of recorded runs and trouble cases, for tests of any part."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tui.facts import CheckpointStat, Disk, Process, ProcessState, Stat
from tui.runs import files
from tui.runs.decode import instant
from tui.runs.evidence import Evidence
from tui.runs.log import LogTail
from tui.runs.metrics import Metrics

DATA = Path(__file__).parent.parent / "data"
CASES = DATA / "cases"
RECORDINGS = DATA / "runs"
NOW = 1796004000.0
"""The moment of all cases: 2026-11-30T02:00:00Z."""
PRICE = 3.4828


def metrics(data: bytes = b"", *, csv: bool = False) -> Metrics:
    """A table fed with ``data`` at once."""
    table = Metrics(csv=csv)
    table.feed(data)
    return table


def log(data: bytes | str = b"", max_lines: int = 100_000) -> LogTail:
    """A log fed with ``data`` at once."""
    tail = LogTail(max_lines)
    tail.feed(data.encode() if isinstance(data, str) else data)
    return tail


def lines(*texts: str) -> bytes:
    """These lines as the bytes of a file."""
    return "".join(text + "\n" for text in texts).encode()


def rows(*found: dict[str, Any]) -> Metrics:
    """A table of these rows."""
    return metrics("".join(json.dumps(row) + "\n" for row in found).encode())


def status(**fields: object) -> bytes:
    """A status.json of a run in epoch 12 of 100, with ``fields`` in place of its own."""
    base = json.loads((CASES / "RUN-01" / "status.json").read_bytes())
    base["updated_at"] = "2026-11-30T01:59:30+00:00"
    return json.dumps({**base, **fields}).encode()


def alive(
    pid: int = 4242, command: str = "python -m libreyolo train", age: float = 7300
) -> Process:
    """A living process that started ``age`` seconds before the cases' moment."""
    return Process(pid, "alive", NOW - age, command)


def gone(pid: int = 4242) -> Process:
    """A process that no longer exists."""
    return Process(pid, "gone")


def evidence(run_dir: Path | None = None, **overrides: object) -> Evidence:
    """Evidence of a recorded run or a case: its files, and its ps, df, clock and price if given.

    ``now`` sets the clock too, where that is not given.
    """
    if "now" in overrides:
        overrides.setdefault("clock", overrides["now"])
    built = _from_directory(run_dir) if run_dir else _empty()
    return replace(built, **overrides)


def _empty() -> Evidence:
    return Evidence(
        id="run1",
        path="/root/runs/run1",
        now=NOW,
        clock=NOW,
        status=None,
        metrics=Metrics(),
        log=LogTail(),
        console=LogTail(),
    )


def _from_directory(at: Path) -> Evidence:
    now = _moment(at)
    document = _document(at / files.STATUS)
    root_log = at / "root_train.log"
    console = root_log if root_log.exists() else at / files.CONSOLE
    return replace(
        _empty(),
        id=at.name,
        path=f"/root/runs/{at.name}",
        now=now,
        clock=now,
        status=_bytes(at / files.STATUS),
        config=_bytes(at / files.CONFIG),
        metrics=metrics(_bytes(at / files.METRICS) or b""),
        results=metrics(_bytes(at / files.RESULTS) or b"", csv=True),
        log=log(_bytes(at / files.LOG) or b""),
        console=log(_bytes(console) or b""),
        console_path="/root/train.log" if console.exists() else None,
        process=_process(at / "ps.txt", document.get("pid"), now),
        disk=_disk(at),
        shm=_space(at / "df_shm.txt"),
        oom_kills=_oom_kills(at / "memory.events"),
        price_per_hour=_document(at / "price.json").get("usd_per_hour"),
    )


def _moment(at: Path) -> float:
    for name in ("now.txt", "box_now.txt"):
        if (at / name).exists():
            return float((at / name).read_text())
    return NOW


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def _document(path: Path) -> dict[str, Any]:
    return json.loads(path.read_bytes()) if path.exists() else {}


def _process(table: Path, pid: int | None, now: float) -> Process | None:
    """The line of ``pid`` in a table with the columns pid, stat, etimes and args."""
    if pid is None or not table.exists():
        return None
    for line in table.read_text().splitlines():
        found, stat, seconds, command = line.split(None, 3)
        if int(found) == pid:
            state: ProcessState = "zombie" if stat.startswith("Z") else "alive"
            return Process(pid, state, now - float(seconds), command)
    return Process(pid, "gone")


def _disk(at: Path) -> Disk | None:
    space = _space(at / "df.txt")
    if space is None or not (at / "dfi.txt").exists():
        return space
    _, total, _, free, *_ = (at / "dfi.txt").read_text().splitlines()[1].split()
    return Disk(space.path, space.free, space.total, int(free), int(total))


def _space(table: Path) -> Disk | None:
    """What ``df -Pk`` prints: 1024-blocks, used, available."""
    if not table.exists():
        return None
    _, total, _, free, _, mount = table.read_text().splitlines()[1].split()
    return Disk(mount, int(free) * 1024, int(total) * 1024)


def _oom_kills(events: Path) -> int | None:
    if not events.exists():
        return None
    return next(int(line.split()[1]) for line in events.open() if line.startswith("oom_kill "))


def replay(run_dir: Path) -> Iterator[Evidence]:
    """Evidence at every event of a recording, by the clock of the box that was recorded.

    The process lives until its ``exit``; as the poll of a box would see it, it is then gone.
    """
    events = [json.loads(line) for line in (run_dir / "timeline.jsonl").open()]
    began = _began(events)
    now = replace(_empty(), id=run_dir.name, path=f"/root/runs/{run_dir.name}")
    stats: dict[str, Stat] = {}
    weights: dict[str, CheckpointStat] = {}
    tables = {files.METRICS: now.metrics, files.LOG: now.log, files.CONSOLE: now.console}
    for event in events:
        at, name = began + event["t"], event["file"]
        if event["op"] == "exit":
            pid = json.loads(now.status or b"{}").get("pid", 1)
            now = replace(now, process=Process(pid, "gone"))
        elif event["op"] == "stat":
            short = name.removeprefix("weights/")
            weights[short] = CheckpointStat(short, event["size"], at)
        else:
            data = event["data"].encode()
            stats[name] = Stat(len(data), at)
            if name == files.STATUS:
                now = replace(now, status=data, process=_writer(data, began))
            elif name in tables:
                tables[name].feed(data)
        yield (
            now := replace(
                now, now=at, clock=at, files=dict(stats), checkpoints=tuple(weights.values())
            )
        )


def _began(events: list[dict[str, Any]]) -> float:
    """The recorded box's clock at t = 0, from the last status."""
    last = [event for event in events if event["file"] == files.STATUS][-1]
    written = instant(json.loads(last["data"])["updated_at"])
    assert written is not None
    return written - last["t"]


def _writer(data: bytes, began: float) -> Process:
    return Process(json.loads(data)["pid"], "alive", began, "python -m libreyolo train")
