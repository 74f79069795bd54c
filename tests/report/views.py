"""Boxes as a watcher would show them, one for each thing that a report has to say."""

from __future__ import annotations

from tui.facts import Disk, Gpu
from tui.runs.log import LogTail
from tui.runs.metrics import Metrics
from tui.runs.model import Best, Checkpoint, Cost, Current, Diagnosis, Run, RunError
from tui.view import BoxView, LinkView, RunView

NOW = 1796004000.0
"""2026-11-30T02:00:00Z"""
GIB = 1024**3


def run_view(run: Run, disk: Disk | None = None, full_in: float | None = None) -> RunView:
    return RunView(run, Metrics(), LogTail(), LogTail(), disk=disk, disk_full_in_s=full_in)


RUNNING = Run(
    id="run12",
    path="/root/runs/run12",
    model="yolo9t",
    task="detect",
    reported_state="running",
    verdict="running",
    epoch=12,
    total_epochs=100,
    progress=0.12,
    epoch_s=61.04321,
    eta_s=5338.0,
    train_loss=1.23456,
    current=Current("mAP50-95", 0.5601),
    best=Best("mAP50-95", 0.5712, 11),
    started_at=NOW - 900,
    updated_at=NOW - 12,
    age_s=12.3456,
    pid=4242,
    pid_alive=True,
    checkpoints=(
        Checkpoint("best.pt", 4_200_000, NOW - 70, True),
        Checkpoint("last.pt", 4_200_000, NOW - 12, None),
    ),
    cost=Cost(0.87075, 5.164, None),
    headline="epoch 12/100",
    eta_text="1:28:58",
)
STARTING = Run(
    id="run13",
    path="/root/runs/run13",
    model="yolo9t",
    reported_state="running",
    verdict="starting",
    epoch=0,
    total_epochs=100,
    progress=0.0,
    started_at=NOW - 400,
    updated_at=NOW - 400,
    age_s=400.0,
    pid=4343,
    pid_alive=True,
    headline="epoch 1/100 - warming up 6:40",
)
DEAD = Run(
    id="deep/er/run7",
    path="/root/runs/deep/er/run7",
    model="rtdetrr50",
    reported_state="running",
    verdict="dead",
    reason="killed by the kernel: out of memory (oom_kill 1)",
    epoch=12,
    total_epochs=100,
    progress=0.12,
    train_loss=None,
    current=Current("mAP50-95", None),
    best=Best("mAP50-95", 0.5, 9),
    started_at=NOW - 9000,
    updated_at=NOW - 1800,
    age_s=1800.0,
    pid=77,
    pid_alive=False,
    checkpoints=(Checkpoint("last.pt", 1_000, NOW - 1800, False),),
    cost=Cost(8.7, None, 1.7414),
    headline="dead (was running, epoch 12/100)",
    warnings=("2 bad lines in metrics.jsonl",),
    diagnosis=Diagnosis(
        "killed_by_oom",
        "killed by the kernel: out of memory (oom_kill 1)",
        "fewer workers, or a box with more memory",
        source="/root/train.log",
    ),
)
FAILED = Run(
    id="run8",
    path="/root/runs/run8",
    model="yoloxn",
    reported_state="failed",
    verdict="failed",
    epoch=80,
    total_epochs=100,
    progress=0.8,
    started_at=NOW - 20000,
    age_s=7200.0,
    error=RunError("OutOfMemoryError", "CUDA out of memory. Tried to allocate 1.50 GiB"),
    headline="failed in epoch 81/100",
    diagnosis=Diagnosis(
        "gpu_out_of_memory",
        "GPU out of memory: wanted 1.50 GiB, free 310 MiB of 23.64 GiB",
        "batch=-1, or a smaller batch",
        source="/root/train.log",
    ),
)
COMPLETED = Run(
    id="run1",
    path="/root/runs/run1",
    model="yolo9t",
    reported_state="completed",
    verdict="completed",
    early_stopped=True,
    epoch=37,
    total_epochs=100,
    progress=1.0,
    epoch_s=2.0,
    train_loss=1.5,
    best=Best("val_loss", 0.0, None),
    started_at=NOW - 80000,
    updated_at=NOW - 70000,
    age_s=70000.0,
    headline="completed - stopped early at 37/100",
)
HOSTILE = Run(
    id="it's $(x)\n\x1b[31mred\x1b[0m [bold]\udcff" + "n" * 60,
    path="/root/runs/it's $(x)\n\x1b[31mred\x1b[0m [bold]\udcff" + "n" * 60,
    model="yolo\x1b]0;title\x07",
    verdict="failed",
    reason="Authorization: Bearer hf_abcdefghijklmnop \x9b2J " + "very " * 40,
    error=RunError("ValueError", "token=hf_abcdefghijklmnop\r\ncafé \x07\x7f"),
    headline="failed",
    started_at=float("nan"),
    updated_at=1e300,
    train_loss=float("inf"),
    epoch=1,
)

LAB = BoxView(
    name="lab",
    target="ssh -p 41022 root@203.0.113.7",
    link=LinkView("live", 0.4),
    runs=(
        run_view(COMPLETED),
        run_view(RUNNING, Disk("/root/runs", 41 * GIB, 250 * GIB), 11400.0),
        run_view(STARTING),
        run_view(DEAD),
        run_view(FAILED),
    ),
    gpus=(
        Gpu(0, "NVIDIA GeForce RTX 4090", 98.0, 22 * GIB, 24 * GIB, 71.0, 410.4),
        Gpu(1, "NVIDIA GeForce RTX 4090"),
    ),
    load1=3.21,
    cpus=16,
    memory_used=20 * GIB,
    memory_total=64 * GIB,
    clock_skew_s=25295.0,
    searched=("/root/runs", "/workspace/runs"),
    notices=("ignored: -L 8080:localhost:8080",),
    price_per_hour=3.4828,
)
OFFLINE = BoxView(
    name="gpu1",
    target="gpu1",
    link=LinkView(
        "offline",
        7300.0,
        "203.0.113.9 port 22: connection refused",
        "is the box running? its address may have changed",
    ),
    runs=(run_view(COMPLETED),),
)
REFUSED = BoxView("new", "root@203.0.113.8", LinkView("refused", None, "permission denied"))
EMPTY = BoxView(
    name="empty",
    target="root@203.0.113.10",
    link=LinkView("live", 0.1),
    searched=("/root/runs", "/workspace/runs", "/home/someone-with-a-long-name/runs"),
    gpu_error="timed out after 5 s",
)
STRANGE = BoxView(
    name="str\x1b[31mange",
    target="root@203.0.113.66",
    link=LinkView("live", 0.1),
    runs=(run_view(HOSTILE),),
    gpus=(Gpu(0, "GPU \x1b[5m漢字" * 4, float("nan")),),
)
ALL = (LAB, OFFLINE, REFUSED, EMPTY, STRANGE)
