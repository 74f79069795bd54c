"""What boxes print of themselves is understood, and what they do not say stays unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.facts import Disk, Gpu, Process, RunVitals, Task, Vitals
from tui.links.vitals_text import MAX_SIZE, VitalsReader, read_cpus, read_df, read_gpus

CASES = Path(__file__).parent.parent / "data" / "cases"
RUN = "/root/runs/run1"
MEMINFO = b"MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable: 400 kB\nCached: 250 kB"


def read(*items: tuple[str, bytes], run: tuple[tuple[str, bytes], ...] = ()) -> Vitals:
    reader = VitalsReader()
    if run:
        reader.begin_run(RUN)
    for name, value in (*run, *items):
        reader.add(name, value)
    return reader.finish(5.0)


def run_of(*items: tuple[str, bytes]) -> RunVitals:
    return read(run=items).runs[0]


def test_a_box_that_says_nothing_has_no_numbers() -> None:
    assert read() == Vitals(5.0)


def test_memory_is_the_machines_where_the_container_has_no_limit() -> None:
    told = read(("meminfo", MEMINFO), ("cgroup_limit", b"max"), ("cgroup_used", b"999"))
    assert (told.memory_used, told.memory_total) == (600 * 1024, 1000 * 1024)
    told = read(("meminfo", MEMINFO), ("cgroup_limit", b"9223372036854771712"))
    assert told.memory_total == 1000 * 1024


def test_memory_is_the_containers_where_it_has_a_limit() -> None:
    items = [("meminfo", MEMINFO), ("cgroup_limit", b"500000"), ("cgroup_used", b"300000\n")]
    told = read(*items, ("cgroup_stat", b"inactive_file 100000"))
    assert (told.memory_used, told.memory_total) == (200_000, 500_000)
    told = read(*items, ("cgroup_stat", b"inactive_file 7\ntotal_inactive_file 50000"))
    assert told.memory_used == 250_000


def test_an_old_kernels_memory_is_estimated() -> None:
    told = read(("meminfo", b"MemTotal: 1000 kB\nMemFree: 100 kB\nCached: 250 kB"))
    assert told.memory_used == 650 * 1024


def test_kills_by_the_kernel_are_counted_from_any_of_its_files() -> None:
    assert read(("oom", b"low 0\noom 3\noom_kill 2\noom_group_kill 0")).oom_kills == 2
    assert read(("oom", b"oom_kill_disable 0\nunder_oom 0\noom_kill 1")).oom_kills == 1
    assert read(("oom", b"low 0")).oom_kills is None


@pytest.mark.parametrize(
    ("count", "quota", "cpus"),
    [("8", "", 8), ("8", "max 100000", 8), ("64", "650000 100000", 7), ("", "50000 100000", 1)],
)
def test_a_cpu_quota_limits_the_cpus(count: str, quota: str, cpus: int) -> None:
    assert read_cpus(count, quota) == cpus


def test_a_full_disk_is_told_by_df() -> None:
    free = read_df((CASES / "FILE-13" / "df.txt").read_text())
    inodes = read_df((CASES / "FILE-13" / "dfi.txt").read_text(), inodes=True)
    told = read(
        ("df", b"/\n" + (CASES / "FILE-13" / "df.txt").read_bytes()),
        ("dfi", b"/\n" + (CASES / "FILE-13" / "dfi.txt").read_bytes()),
        run=(("device", b"/"),),
    )
    assert free == f"{1000 * 1024} {262144000 * 1024}"
    assert inodes == "880000 1000000"
    assert told.runs[0].disk == Disk(RUN, 1000 * 1024, 262144000 * 1024, 880_000, 1_000_000)


@pytest.mark.parametrize("text", ["", "df: not found", "Filesystem 1024-blocks\nx - - - - /"])
def test_a_df_that_fails_tells_nothing(text: str) -> None:
    assert read_df(text) == ""


def test_a_file_system_that_counts_no_inodes_has_none() -> None:
    told = read(("disk", b"7 100 200 0 0"), run=(("device", b"7"),))
    assert told.runs[0].disk == Disk(RUN, 100, 200)


def test_a_gpu_says_what_it_can() -> None:
    row = "3, Tesla T4, [N/A], [Unknown Error], 15360, [Not Supported], nan"
    assert read_gpus(row) == ((Gpu(3, "Tesla T4", None, None, 15360 * 2**20, None, None),), None)


def test_one_lost_gpu_hides_no_other() -> None:
    text = "0, A100, 1, 2, 3, 4, 5\nUnable to determine the device handle for GPU1: Lost\n"
    gpus, complaint = read_gpus(text)
    assert [gpu.index for gpu in gpus] == [0]
    assert complaint == "Unable to determine the device handle for GPU1: Lost"


def test_a_process_and_its_tree() -> None:
    told = run_of(
        ("process", b"42 alive 1796000000.25 0"),
        ("command", b"python train.py --name \xff"),
        ("task", b"41 1 alive torchrun train.py"),
        ("task", b"43 42 zombie "),
        ("console", b"/root/train.log"),
    )
    tree = (Task(41, 1, "torchrun train.py"), Task(43, 42, "", "zombie"))
    command = "python train.py --name \udcff"
    assert told.process == Process(42, "alive", 1796000000.25, command, False, tree)
    assert told.console == "/root/train.log"


@pytest.mark.parametrize("text", [b"", b"x alive 1 0", b"42", b"42 running 1 0"])
def test_a_process_that_cannot_be_understood_is_unknown(text: bytes) -> None:
    assert run_of(("process", text)).process is None


def test_a_runs_facts_stay_until_they_change_and_the_boxs_do_not() -> None:
    reader = VitalsReader()
    reader.begin_run(RUN)
    reader.add("process", b"42 alive - -")
    reader.add("loadavg", b"0.5 0.4 0.3")
    assert reader.finish(1.0).load1 == 0.5
    again = reader.finish(2.0)
    assert again.load1 is None
    assert again.runs[0].process == Process(42, "alive")
    reader.forget(RUN)
    assert reader.finish(3.0).runs == ()


def test_a_box_that_never_stops_talking_is_not_listened_to() -> None:
    reader = VitalsReader()
    with pytest.raises(ValueError, match="more than any box"):
        for number in range(MAX_SIZE):
            reader.add("disk", b"%d 1 2 3 4" % number)
    reader = VitalsReader()
    with pytest.raises(ValueError, match="more than any box"):
        for number in range(MAX_SIZE):
            reader.begin_run(f"/r/{number}")
            reader.add("task", b"x" * 200_000)
            reader.finish(float(number))


@pytest.mark.parametrize("value", ["1e300", "1e305", "-5e9", "inf", "nan", "9" * 400])
def test_a_number_that_no_gpu_reports_is_no_number(value: str) -> None:
    gpus, _ = read_gpus(f"0, A, {value}, {value}, {value}, {value}, {value}")
    assert gpus == (Gpu(0, "A"),)
    assert read_gpus("\u00b2, A, 1, 2, 3, 4, 5")[0] == ()
