"""`boxtop status --json`: names, order and types of schema_version 1, whatever a box says."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from tests.golden import assert_golden
from tests.report import views
from tui.report.document import iso_time, json_text, status_document
from tui.runs.model import Current, Run, Saved
from tui.view import BoxView, LinkView, PendingView


class Link(msgspec.Struct, forbid_unknown_fields=True):
    state: str
    age_s: float | None
    error: str | None


class Gpu(msgspec.Struct, forbid_unknown_fields=True):
    index: int
    name: str | None
    util: float | None
    memory_used: int | None
    memory_total: int | None
    temperature_c: float | None
    power_w: float | None


class Disk(msgspec.Struct, forbid_unknown_fields=True):
    path: str
    free: int
    total: int
    full_in_s: float | None


class Value(msgspec.Struct, forbid_unknown_fields=True):
    name: str | None
    value: float | None


class BestValue(msgspec.Struct, forbid_unknown_fields=True):
    name: str | None
    value: float | None
    epoch: int | None


class Error(msgspec.Struct, forbid_unknown_fields=True):
    type: str | None
    message: str | None


class SavedProof(msgspec.Struct, forbid_unknown_fields=True):
    where: str
    sha256: str
    commit: str | None
    at: str
    current: bool


class Checkpoint(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    bytes: int
    modified_at: str
    complete: bool | None
    saved: SavedProof | None


class Cost(msgspec.Struct, forbid_unknown_fields=True):
    so_far: float | None
    to_finish: float | None
    wasted: float | None


class PendingPush(msgspec.Struct, forbid_unknown_fields=True):
    to: str
    names: list[str]
    at: str


class RunEntry(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    path: str
    model: str | None
    task: str | None
    reported_state: str | None
    verdict: str
    reason: str | None
    early_stopped: bool
    resumed: bool
    epoch: int | None
    total_epochs: int | None
    progress: float | None
    epoch_s: float | None
    eta_s: float | None
    train_loss: float | None
    current: Value
    best: BestValue
    started_at: str | None
    updated_at: str | None
    age_s: float | None
    pid: int | None
    pid_alive: bool | None
    bad_lines: int
    error: Error | None
    checkpoints: list[Checkpoint]
    cost: Cost | None
    pending_pushes: list[PendingPush]


class BoxEntry(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    target: str
    link: Link
    clock_skew_s: float | None
    gpus: list[Gpu]
    disk: Disk | None
    provider: None
    notices: list[str]
    runs: list[RunEntry]


class Document(msgspec.Struct, forbid_unknown_fields=True):
    """The design's document, field by field in its order."""

    schema_version: int
    generated_at: str
    boxes: list[BoxEntry]


def document_text(*boxes: BoxView) -> str:
    return json_text(status_document(boxes, views.NOW))


def test_names_order_and_types_are_those_of_schema_version_1() -> None:
    text = document_text(*views.ALL)
    typed = msgspec.json.decode(text, type=Document)
    assert typed.schema_version == 1
    assert list(_keys(json.loads(text))) == list(_keys(msgspec.to_builtins(typed)))


def _keys(value: object) -> list[str]:
    if isinstance(value, dict):
        return [key for k, v in value.items() for key in (k, *_keys(v))]
    if isinstance(value, list):
        return [key for item in value for key in _keys(item)]
    return []


def test_the_whole_document() -> None:
    assert_golden("status.json", document_text(*views.ALL) + "\n")


def test_times_are_utc_and_unknown_ones_null() -> None:
    assert iso_time(views.NOW) == "2026-11-30T02:00:00Z"
    assert [iso_time(v) for v in (None, float("nan"), float("inf"), 1e300, -1e300)] == [None] * 5
    (box,) = json.loads(document_text(views.STRANGE))["boxes"]
    assert (box["runs"][0]["started_at"], box["runs"][0]["updated_at"]) == (None, None)


def test_unknown_is_null_and_zero_stays_zero() -> None:
    bare = Run(id="r", path="/r", current=Current("mAP", 0.0), epoch=0)
    (box,) = json.loads(
        document_text(BoxView("b", "b", LinkView("offline"), (views.run_view(bare),)))
    )["boxes"]
    (run,) = box["runs"]
    assert box["link"] == {"state": "offline", "age_s": None, "error": None}
    assert (box["disk"], box["provider"], box["gpus"]) == (None, None, [])
    assert run["current"] == {"name": "mAP", "value": 0.0}
    assert run["epoch"] == 0
    known = {"id", "path", "verdict", "early_stopped", "resumed", "epoch", "current", "bad_lines"}
    unknown = {key: value for key, value in run.items() if key not in known}
    assert unknown.pop("best") == {"name": None, "value": None, "epoch": None}
    assert unknown.pop("checkpoints") == [] == unknown.pop("pending_pushes")
    assert set(unknown.values()) == {None}


def test_progress_is_never_rounded_up_to_done() -> None:
    run = Run(id="r", path="/r", progress=0.9999999999)
    text = document_text(BoxView("b", "b", LinkView("live"), (views.run_view(run),)))
    assert json.loads(text)["boxes"][0]["runs"][0]["progress"] < 1.0


def test_the_text_is_ascii_without_control_characters() -> None:
    text = document_text(*views.ALL)
    assert text.isascii()
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)


def test_words_are_clean_and_names_exact() -> None:
    (box,) = json.loads(document_text(views.STRANGE))["boxes"]
    (run,) = box["runs"]
    assert run["model"] == "yolo"
    assert "hf_abc" not in json.dumps(box)
    assert run["error"]["message"] == "token=hf_***\ncafé "
    assert run["id"].startswith("it's $(x)\n\x1b[31mred\x1b[0m [bold]\ufffdnnn")
    assert run["path"] == "/root/runs/" + run["id"]


def test_no_colour_before_a_token_hides_it() -> None:
    run = Run(
        id="r", path="/r", reason="\x1b[31mhf_QQQQQQQQQQQQ\x1b[0m", task="\x9b1mhf_QQQQQQQQQQQQ"
    )
    link = LinkView("offline", error="\x1b[1mhf_QQQQQQQQQQQQ")
    box = BoxView("b", "\x1b[1mhf_QQQQQQQQQQQQ", link, (views.run_view(run),))
    assert "QQQQ" not in document_text(box)


def test_a_saved_checkpoint_carries_its_proof() -> None:
    saved = Saved("hub:o/r", "ab" * 32, "c0ffee", views.NOW, True)
    best = msgspec.structs.replace(views.RUNNING.checkpoints[0], saved=saved)
    run = msgspec.structs.replace(views.RUNNING, checkpoints=(best,))
    text = document_text(BoxView("b", "b", LinkView("live"), (views.run_view(run),)))
    proof = json.loads(text)["boxes"][0]["runs"][0]["checkpoints"][0]["saved"]
    assert proof == {
        "where": "hub:o/r",
        "sha256": "ab" * 32,
        "commit": "c0ffee",
        "at": "2026-11-30T02:00:00Z",
        "current": True,
    }


@given(st.text(), st.floats(), st.floats())
def test_any_name_and_number_gives_strict_json(name: str, value: float, moment: float) -> None:
    run = Run(
        id=name,
        path=name,
        reason=name,
        train_loss=value,
        age_s=value,
        started_at=moment,
        current=Current(name, value),
    )
    text = document_text(BoxView(name, name, LinkView("live"), (views.run_view(run),)))
    assert text.isascii()
    msgspec.json.decode(text, type=Document)


def test_a_push_that_has_not_ended_is_told() -> None:
    pending = (PendingView("my-org/run1", ("best.pt", "last.pt"), views.NOW - 60),)
    run = replace(views.run_view(views.RUNNING), pending=pending)
    text = document_text(BoxView("lab", "lab", LinkView("live"), (run,)))
    (entry,) = msgspec.json.decode(text, type=Document).boxes[0].runs
    assert entry.pending_pushes == [
        PendingPush("my-org/run1", ["best.pt", "last.pt"], "2026-11-30T01:59:00Z")
    ]
