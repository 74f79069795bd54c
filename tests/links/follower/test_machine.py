"""What is told of the box itself: its disk, memory and GPUs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.links.boxes import Kind, follow
from tests.links.runs_on_disk import make_run, write_status
from tests.runs.build import CASES
from tests.waiting import wait_until
from tui.facts import Beat, Settled, Vitals
from tui.runs import files


def test_the_box_itself_is_told(kind: Kind, runs: Path) -> None:
    make_run(runs, "run1", state="completed")
    with follow(kind, runs) as box:
        vitals = box.until_fact(Vitals)
    assert isinstance(vitals, Vitals)
    disk = shutil.disk_usage(runs)
    told = vitals.runs[0].disk
    assert told is not None
    assert told.total == disk.total
    assert told.free == pytest.approx(disk.free, rel=0.05)
    assert told.inodes_free
    assert vitals.load1 is not None
    assert vitals.cpus
    assert vitals.memory_total and vitals.memory_used
    assert 0 < vitals.memory_used < vitals.memory_total
    assert vitals.gpus == () and vitals.gpu_error is None


def fake_nvidia_smi(kind: Kind, script: str) -> Path:
    program = kind.path / "nvidia-smi"
    program.write_text(f"#!{kind.shell}\n{script}\n")
    program.chmod(0o755)
    return program


def test_gpus_are_told(kind: Kind, runs: Path) -> None:
    row = "0, NVIDIA H100 80GB HBM3, 97, 71234, 81559, 61, 688.31"
    fake_nvidia_smi(kind, f'echo "{row}"; echo "1, Odd, name, [N/A], 0, 16384, 30, [N/A]"')
    make_run(runs, "run1")
    with follow(kind, runs) as box:
        vitals = box.until(lambda fact: isinstance(fact, Vitals) and bool(fact.gpus))
        box.until_fact(Settled)
    assert isinstance(vitals, Vitals)
    first, second = vitals.gpus
    assert (first.index, first.name, first.util) == (0, "NVIDIA H100 80GB HBM3", 97)
    assert (first.memory_used, first.memory_total) == (71234 * 2**20, 81559 * 2**20)
    assert (first.temperature_c, first.power_w) == (61, 688.31)
    assert (second.name, second.util, second.power_w) == ("Odd, name", None, None)


def test_a_gpu_that_fell_off_the_bus_is_told_in_its_own_words(kind: Kind, runs: Path) -> None:
    words = (CASES / "RUN-19" / "nvidia_smi.txt").read_text().strip()
    fake_nvidia_smi(kind, f'echo "{words}"; exit 15')
    make_run(runs, "run1")
    with follow(kind, runs) as box:
        vitals = box.until(lambda fact: isinstance(fact, Vitals) and bool(fact.gpu_error))
    assert isinstance(vitals, Vitals)
    assert vitals.gpu_error == words
    assert vitals.gpus == ()


def hanging(program: Path) -> list[int]:
    """Return the processes that run this program."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if os.fsencode(program) in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def test_a_hanging_nvidia_smi_delays_nothing_and_never_piles_up(
    kind: Kind, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("request", "shell_input"):
        monkeypatch.setattr(f"tui.links.{place}.HEARTBEAT_SECONDS", 2.0)
    hang = (CASES / "RUN-19" / "hang.sh").read_text()
    (kind.path / "sleep").exists() or (kind.path / "sleep").symlink_to(shutil.which("sleep") or "")
    program = fake_nvidia_smi(kind, hang)
    run = make_run(runs, "run1")
    with follow(kind, runs, vitals_seconds=1.0) as box:
        box.until_received(lambda seen: str(run) in seen.checkpoints or bool(seen.whole))
        wait_until(lambda: hanging(program))
        status = write_status(run, current_epoch=1)
        box.until_received(lambda seen: seen.data(run, files.STATUS) == status)
        assert not any(isinstance(fact, Vitals) and fact.gpu_error for fact in box.facts)
        told = box.until(lambda fact: isinstance(fact, Vitals) and bool(fact.gpu_error))
        assert isinstance(told, Vitals)
        assert told.gpu_error == "timed out after 5 s"
        box.until_fact(Settled)
        wait_until(lambda: not hanging(program))
        box.until_fact(Beat)
        assert not hanging(program), "asked again too early"
