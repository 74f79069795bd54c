"""A configuration and a directory that targets are understood in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.config.settings import BoxSettings, Settings
from tui.targets import Names
from tui.targets.ssh_hosts import SshHosts


@pytest.fixture
def names(tmp_path: Path) -> Names:
    """A configuration, an ssh configuration and a directory with runs."""
    for directory in (
        "runs/exp/run1",
        "runs/exp/run12",
        "odd:name/run1",
        "lab",
        "gpu1",
        "it's $(x)",
    ):
        (tmp_path / directory).mkdir(parents=True)
    (tmp_path / "runs/exp/run1/status.json").write_text("{}")
    (tmp_path / "recording.jsonl").write_text("")
    (tmp_path / "notes.txt").write_text("")
    box = {
        "lab": BoxSettings(
            ssh="root@203.0.113.7 -p 41022",
            runs=("/data/runs", "~/runs"),
            console="/root/train.log",
            price_per_hour=3.4828,
        ),
        "desk": BoxSettings(path="runs", price_per_hour=0.1),
        "gpu1": BoxSettings(price_per_hour=0.69),
        "lost": BoxSettings(price_per_hour=1.0),
    }
    known = SshHosts(("gpu1", "gw", "node-*", "*"))
    return Names(Settings(box=box), tmp_path, lambda: known)
