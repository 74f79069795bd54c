"""What a person may type for a box: names, directories of this machine, recordings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.boxes import Box, LocalTarget, RecordingTarget, SshTarget
from tui.errors import UserError
from tui.targets import Names, parse_target
from tui.targets.ssh_hosts import SshHosts

RUNS = Path(__file__).parent.parent / "data" / "runs"


def test_a_name_of_the_configuration(names: Names) -> None:
    assert parse_target("lab", names) == Box(
        name="lab",
        text="root@203.0.113.7 -p 41022",
        target=SshTarget("203.0.113.7", "root", 41022),
        roots=("/data/runs", "~/runs", "/root/runs", "/workspace/runs"),
        console="/root/train.log",
        price_per_hour=3.4828,
    )


def test_a_run_of_a_named_box(names: Names) -> None:
    box = parse_target("lab:exp/run 12:b", names)
    assert (box.name, box.run) == ("lab", "exp/run 12:b")


def test_a_named_box_without_an_address_is_a_host_of_the_ssh_configuration(names: Names) -> None:
    box = parse_target("gpu1", names)
    assert (box.target, box.price_per_hour) == (SshTarget("gpu1"), 0.69)
    with pytest.raises(UserError, match=r"box\.lost says neither ssh nor path") as caught:
        parse_target("lost", names)
    assert "[box.lost]: ssh = " in str(caught.value.hint)


def test_a_named_box_of_this_machine(names: Names) -> None:
    box = parse_target("desk", names)
    assert box.target == LocalTarget(names.cwd / "runs")
    assert (box.name, box.roots, box.price_per_hour) == ("desk", (str(names.cwd / "runs"),), 0.1)


def test_hosts_of_the_ssh_configuration_are_found_with_includes(home: Path) -> None:
    (home / ".ssh" / "config.d").mkdir(parents=True)
    (home / ".ssh" / "config").write_text("Include config.d/*\nHost *\n  User root\n")
    (home / ".ssh" / "config.d" / "gpu").write_text("Host gpu1 gpu-* !gpu-0\n  Port 41022\n")
    hosts = SshHosts.of_user()
    assert hosts.names == ("gpu1",)
    assert hosts.knows("gpu1") and hosts.knows("gpu-7")
    assert not hosts.knows("elsewhere")
    assert parse_target("gpu1", Names()).target == SshTarget("gpu1")


@pytest.mark.parametrize(
    ("text", "path", "name", "run"),
    [
        ("runs", "runs", "runs", None),
        ("./runs/", "runs", "runs", None),
        ("runs/exp/run1", "runs/exp/run1", "run1", None),
        ("runs/exp/run1/status.json", "runs/exp/run1", "run1", None),
        ("runs:exp/run1", "runs", "runs", "exp/run1"),
        ("odd:name", "odd:name", "odd:name", None),
        ("odd:name:run1", "odd:name", "odd:name", "run1"),
        ("./gpu1", "gpu1", "gpu1", None),
        ("it's $(x)", "it's $(x)", "it's $(x)", None),
        (".", ".", None, None),
    ],
)
def test_a_directory_of_this_machine(
    names: Names, text: str, path: str, name: str | None, run: str | None
) -> None:
    expected = names.cwd / path
    box = parse_target(text, names)
    assert (box.target, box.run) == (LocalTarget(expected), run)
    assert (box.name, box.roots) == (name or names.cwd.name, (str(expected),))


def test_the_home_directory(names: Names, home: Path) -> None:
    (home / "runs").mkdir()
    assert parse_target("~/runs", names).target == LocalTarget(home / "runs")
    assert parse_target("~", names).target == LocalTarget(home)


def test_a_recording(names: Names) -> None:
    timeline = RUNS / "yolo9t_long" / "timeline.jsonl"
    box = parse_target(str(timeline), names)
    assert (box.name, box.target) == ("yolo9t_long", RecordingTarget(timeline))
    assert parse_target("recording.jsonl", names).target == RecordingTarget(
        names.cwd / "recording.jsonl"
    )
