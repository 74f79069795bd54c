"""status.json without trust: every type wrong, every byte hostile, and never a crash."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runs.build import CASES, RECORDINGS
from tui.facts import FileTrouble, Stat
from tui.runs.status import StatusFile, decode_status, read_status, trouble_text


def test_a_real_status_is_read_in_full() -> None:
    reading = read_status((RECORDINGS / "yolo9t_killed" / "status.json").read_bytes())
    found = reading.file
    assert found is not None
    assert (reading.kind, reading.trouble) == ("readable", None)
    assert (found.state, found.pid, found.total_epochs) == ("running", 16218, 30)
    assert (found.current_epoch, found.completed_epochs, found.start_epoch) == (5, 5, 1)
    assert (found.model_family, found.model_size, found.task) == ("yolo9", "t", "detect")
    assert found.started_at == 1796003820.0
    assert found.updated_at == 1796003850.0
    assert found.eta_seconds == pytest.approx(126.17, abs=0.01)
    assert (found.best_metric, found.best_epoch) == (0.0, 1)
    assert found.validated is True


@pytest.mark.parametrize(
    ("data", "kind", "said"),
    [
        (None, "missing", None),
        (b"", "broken", "status.json: empty"),
        (b" \n", "broken", "status.json: empty"),
        (b"\0\0\0\0", "broken", "status.json: empty"),
        (b'{"state": "runn', "broken", "status.json: half-written or no JSON"),
        (b"[1]", "broken", "status.json: not a JSON object"),
        (b"null", "broken", "status.json: not a JSON object"),
        (b"[" * 100_000, "broken", "status.json: half-written or no JSON"),
        (b"{}", "readable", None),
    ],
)
def test_missing_empty_half_written_and_foreign_files_are_told_apart(
    data: bytes | None, kind: str, said: str | None
) -> None:
    reading = read_status(data)
    assert (reading.kind, reading.trouble) == (kind, said)


def test_an_unreadable_status_says_whose_it_is() -> None:
    trouble = FileTrouble("/r", "status.json", "EACCES", Stat(812, 0.0, mode=0o600, owner="root"))
    reading = read_status(None, trouble)
    assert reading.kind == "unreadable"
    assert reading.trouble == "status.json: permission denied (root, 0600)"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("EACCES", "metrics.jsonl: permission denied"),
        ("ESTALE", "metrics.jsonl: stale file handle"),
        ("EIO", "metrics.jsonl: input/output error"),
        ("EWHATEVER", "metrics.jsonl: EWHATEVER"),
        ("\x1b[31mE\n", "metrics.jsonl: E\\n"),
    ],
)
def test_a_trouble_is_told_in_words(error: str, said: str) -> None:
    assert trouble_text(FileTrouble("/r", "metrics.jsonl", error)) == said


def test_what_was_read_before_a_trouble_still_counts() -> None:
    data = (CASES / "RUN-01" / "status.json").read_bytes()
    reading = read_status(data, FileTrouble("/r", "status.json", "ESTALE"))
    assert reading.file is not None
    assert reading.file.current_epoch == 12
    assert reading.trouble == "status.json: stale file handle"


def test_numbers_that_are_none_become_none() -> None:
    data = (
        b'{"state": "running", "eta_seconds": NaN, "train_loss": Infinity, "pid": -3,'
        b'"total_epochs": 0, "current_epoch": 1e400, "epoch_seconds": -5, "best_metric": "0.5",'
        b'"best_epoch": true, "started_at": "yesterday", "updated_at": 1796004000,'
        b'"mean_epoch_seconds": 1e299, "completed_epochs": ' + b"9" * 5000 + b"}"
    )
    found = read_status(data).file
    assert found is not None
    assert found.eta_seconds is None
    assert found.train_loss is None
    assert "train_loss" in found.has
    assert found.pid is None
    assert found.total_epochs is None
    assert found.current_epoch is None
    assert found.epoch_seconds is None
    assert found.mean_epoch_seconds is None
    assert found.completed_epochs is None
    assert found.best_metric == 0.5
    assert found.best_epoch is None
    assert found.started_at is None
    assert found.updated_at == 1796004000.0


@pytest.mark.parametrize(
    "written",
    [
        "2026-11-30T02:00:00+00:00",
        "2026-11-30T02:00:00Z",
        "2026-11-30T02:00:00",
        "2026-11-30 02:00:00",
        "2026-11-30T05:30:00+03:30",
        "2026-11-29T19:00:00-07:00",
        "2026-11-30T02:00:00.000",
    ],
)
def test_times_have_any_zone_and_without_one_are_utc(written: str) -> None:
    assert decode_status({"updated_at": written}).updated_at == 1796004000.0


@pytest.mark.parametrize(
    "written", ["", "now", "9999-99-99", "0001-01-01T00:00:00", 1e300, [], "T" * 99]
)
def test_what_is_no_time_is_none(written: object) -> None:
    assert decode_status({"updated_at": written}).updated_at is None


def test_an_error_never_has_an_empty_message() -> None:
    assert decode_status({"error": {"type": "KeyboardInterrupt", "message": ""}}).error is not None
    error = decode_status({"error": {"type": "KeyboardInterrupt", "message": " "}}).error
    assert error is not None
    assert error.message is None
    assert decode_status({"error": {"type": "", "message": ""}}).error is None
    assert decode_status({"error": "out of cheese"}).error is not None
    hostile = decode_status(
        {"error": {"type": "\x1b]0;x\x07E", "message": "a\n  b hf_SECRET"}}
    ).error
    assert hostile is not None
    assert (hostile.type, hostile.message) == ("E", "a b hf_***")


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner)
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(StatusFile.__struct_fields__), JSON))
def test_any_value_in_any_field_is_survived(document: dict[str, object]) -> None:
    found = read_status(json.dumps(document).encode()).file
    assert found is not None
    for name in ("pid", "total_epochs", "current_epoch", "completed_epochs", "best_epoch"):
        assert isinstance(getattr(found, name), int | None)


@given(st.binary(max_size=300))
def test_any_bytes_are_survived(data: bytes) -> None:
    reading = read_status(data)
    assert (reading.file is None) == (reading.kind != "readable")


@pytest.mark.parametrize("value", [1.5, 0, -1, 86400.0, "1999-12-31T00:00:00Z", "1.5"])
def test_what_is_long_before_any_training_is_no_time(value: object) -> None:
    assert decode_status({"updated_at": value}).updated_at is None
    assert decode_status({"updated_at": 1796003850.0}).updated_at == 1796003850.0
