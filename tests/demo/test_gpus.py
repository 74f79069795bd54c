"""The demo's nvidia-smi prints made-up GPUs in the real one's format."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tui.demo.gpus import GpuModel, Gpus

MODEL = GpuModel("NVIDIA A100-SXM4-80GB", 81_920, 62, 400)
QUERY = "--query-gpu=index,name,utilization.gpu,memory.used,memory.total"


def smi(home: Path, *arguments: str) -> list[str]:
    path = f"{home / '.demo' / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(
        ["nvidia-smi", *arguments], env={"PATH": path}, capture_output=True, text=True, check=True
    )
    assert not done.stderr
    return done.stdout.splitlines()


def test_an_idle_gpu_is_idle(tmp_path: Path) -> None:
    Gpus(tmp_path, MODEL, used=18_000)
    lines = smi(tmp_path, QUERY, "--format=csv,noheader,nounits")
    assert lines == ["0, NVIDIA A100-SXM4-80GB, 0, 4, 81920"]


def test_a_training_works_and_fills_every_gpu(tmp_path: Path) -> None:
    gpus = Gpus(tmp_path, MODEL, count=3, used=18_000)
    gpus.show("train")
    rows = [line.split(", ") for line in smi(tmp_path, QUERY, "--format=csv,noheader,nounits")]
    assert [row[0] for row in rows] == ["0", "1", "2"]
    assert all(int(row[2]) > 90 and row[3] == "18000" for row in rows)


def test_fields_it_does_not_know_are_not_available(tmp_path: Path) -> None:
    Gpus(tmp_path, MODEL)
    query = "--query-gpu=name, pstate,memory.total"
    assert smi(tmp_path, query, "--format=csv,noheader") == [
        "NVIDIA A100-SXM4-80GB, [N/A], 81920 MiB"
    ]


def test_no_process_is_listed(tmp_path: Path) -> None:
    Gpus(tmp_path, MODEL)
    assert smi(tmp_path, "--query-compute-apps=pid,used_memory", "--format=csv,noheader") == []


def test_the_numbers_move_while_it_trains(tmp_path: Path) -> None:
    gpus = Gpus(tmp_path, MODEL, used=18_000)
    seen = set()
    for phase in ("train", "validate", "save") * 3:
        gpus.show(phase)
        seen.add(tuple(smi(tmp_path)))
    assert len(seen) >= 6


def test_a_home_with_odd_characters_does_no_harm(tmp_path: Path) -> None:
    home = tmp_path / 'it\'s $(touch pwned) "home"'
    Gpus(home, MODEL)
    assert len(smi(home)) == 1
    assert not list(tmp_path.rglob("pwned"))
