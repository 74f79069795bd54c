"""Numbers that a box tells: whoever counts with them must not break."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.onbox.shells import ScriptedShell
from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.hub_facts import Asked
from tui.actions.hub_program import HubProgram
from tui.actions.progress import Progress, progress_text
from tui.actions.snapshot import snapshot

HELLO = '{M}{"hello":1}\n'
FAILED = {"ok": False, "error": {"type": "Stalled"}, "landed": False}
HUGE = 10**400


def line(**values: object) -> str:
    return "{M}" + json.dumps({"re": 1, **values}) + "\n"


def followed(**progress: object) -> list[Progress]:
    """Return what is told of an upload whose program says this once."""
    told: list[Progress] = []
    shell = ScriptedShell(HELLO, line(progress=progress), line(done={"result": FAILED}))
    HubProgram(shell, None, Asked("my-org/run")).attach("0123", told.append, Cancel())
    return told


@pytest.mark.parametrize("number", [float("inf"), float("nan"), HUGE, -5, True, "x"])
@pytest.mark.parametrize("name", ["waiting_s", "stalled_s", "done", "total"])
def test_a_progress_that_makes_no_sense_is_unknown(name: str, number: object) -> None:
    (told,) = followed(stage="uploading", **{name: number})
    assert progress_text(told) == "uploading"


def test_a_wait_is_told() -> None:
    (told,) = followed(stage="uploading", done=1000, total=4000, waiting_s=61)
    assert (told.done, told.total, told.note) == (1000, 4000, "the Hub asks to wait 61 s")


def taken(**odd: object) -> dict[str, Any]:
    """Return a checkpoint as a box tells it, but for what is odd."""
    identity = {"device": 1, "inode": 2**64 - 1, "size": 5, "mtime_ns": 7}
    identity = {name: odd.get(name, value) for name, value in identity.items()}
    said = {"size": 5, "sha256": "a" * 64, "epoch": 3, "path": "/run/x", "name": "best.pt"}
    said = {name: odd.get(f"its_{name}", value) for name, value in said.items()}
    return {**said, "identity": identity}


def held(told: dict[str, Any]) -> list[str]:
    shell = ScriptedShell(HELLO, line(checkpoint=told), line(done={"snapshot": "0" * 16}))
    with snapshot(shell, "/run", ["best.pt"]) as found:
        found.number = None  # there is nobody to let it go
        return list(found.checkpoints)


def test_a_snapshot_with_the_largest_numbers_of_a_disk_is_taken() -> None:
    assert held(taken()) == ["best.pt"]


@pytest.mark.parametrize(
    "odd",
    [
        *({name: HUGE} for name in ("size", "mtime_ns", "device", "its_size", "its_epoch")),
        *({name: -1} for name in ("size", "device", "inode", "its_size", "its_epoch")),
        {"inode": 2**64},
        {"mtime_ns": 2**62},
        {"its_sha256": ""},
        {"its_sha256": "A" * 64},
        {"its_sha256": "a" * 64 + "\n"},
    ],
)
def test_a_snapshot_that_no_disk_can_hold_is_refused(odd: dict[str, object]) -> None:
    with pytest.raises(ActionError, match="makes no sense") as raised:
        held(taken(**odd))
    assert raised.value.kind == "protocol"
