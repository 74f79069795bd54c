"""What the four status words of a Vast row mean together, and what each of it bills."""

from __future__ import annotations

import pytest

from tests.providers.fake_vast import row
from tui.money import Rate
from tui.providers.base import Instance, State
from tui.providers.vast_rows import instance_of

RUNS, DISK = Rate(3.4828, "reported"), Rate(0.0694444, "reported")


def instance(
    actual: str | None, intended: str | None, current: str | None, **more: object
) -> Instance:
    """A row that says no more of its bill than its state."""
    told: dict[str, object] = {"next_state": None, "instance": None, **more}
    found = instance_of(
        row(actual_status=actual, intended_status=intended, cur_state=current, **told)
    )
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("actual", "intended", "current", "state", "rate"),
    [
        ("running", "running", "running", State.RUNNING, RUNS),
        ("frozen", "running", "running", State.RUNNING, RUNS),
        ("frozen", "frozen", "running", State.RUNNING, RUNS),
        ("rebooting", "running", "running", State.STARTING, RUNS),
        (None, "running", "running", State.STARTING, DISK),
        ("loading", "running", "running", State.STARTING, DISK),
        ("created", "running", "running", State.STARTING, RUNS),
        ("running", "stopped", "running", State.STOPPING, RUNS),
        ("running", "stopped", "stopped", State.STOPPING, RUNS),
        ("exited", "stopped", "running", State.STOPPING, RUNS),
        ("exited", "stopped", "stopped", State.STOPPED, DISK),
        ("stopped", "stopped", "stopped", State.STOPPED, DISK),
        (None, "stopped", "stopped", State.STOPPED, DISK),
        (None, "running", "stopped", State.QUEUED, DISK),
        ("stopped", "running", "stopped", State.QUEUED, DISK),
        ("exited", "running", "stopped", State.QUEUED, DISK),
        ("created", "running", "stopped", State.QUEUED, DISK),
        ("exited", "running", "running", State.FAILED, RUNS),
        ("offline", "running", "running", State.UNREACHABLE, RUNS),
        ("unknown", "stopped", "stopped", State.UNREACHABLE, RUNS),
        ("running", "running", "unloaded", State.GONE, DISK),
        ("defrosting", "stopped", "stopped", State.UNKNOWN, RUNS),
        (None, None, None, State.STARTING, DISK),
    ],
)
def test_the_words_together(
    actual: str | None, intended: str | None, current: str | None, state: State, rate: Rate
) -> None:
    found = instance(actual, intended, current)
    assert (found.state, found.rate_now) == (state, rate)


def test_what_is_intended_is_the_next_state_where_no_other_word_says_it() -> None:
    assert instance("running", None, "running", next_state="stopped").state is State.STOPPING
    assert instance("exited", None, "stopped", next_state="running").state is State.QUEUED
    assert instance("running", "running", "running", next_state="stopped").state is State.RUNNING


@pytest.mark.parametrize(
    "message", ["OCI runtime create failed: runc", "Error response: oci RUNTIME create FAILED"]
)
def test_a_container_that_cannot_be_made_has_failed(message: str) -> None:
    found = instance("created", "running", "running", status_msg=message)
    assert (found.state, found.rate_now, found.rate_assumed) == (State.FAILED, RUNS, True)
    assert "FAILED" in (found.reason or "").upper()


def test_a_container_that_ended_while_its_gpus_bill_is_told() -> None:
    found = instance("exited", "running", "running")
    assert found.warnings == ("its container has ended, and its GPUs go on billing",)


def test_only_an_offline_host_s_own_zero_is_free() -> None:
    nothing = {"totalHour": 0}
    assert instance("offline", "running", "running", instance=nothing).rate_now.usd_per_hour == 0
    for actual in ("unknown", "running", "frozen"):
        assert instance(actual, "running", "running", instance=nothing).rate_now == RUNS


@pytest.mark.parametrize(
    ("words", "allowed"),
    [
        (("running", "running", "running"), {"stop", "destroy"}),
        (("loading", "running", "running"), {"stop", "destroy"}),
        (("exited", "running", "stopped"), {"stop", "destroy"}),
        (("exited", "stopped", "stopped"), {"start", "destroy"}),
        (("running", "running", "unloaded"), set()),
        (("defrosting", "running", "running"), {"stop", "start", "destroy"}),
        (("offline", "running", "running"), {"stop", "start", "destroy"}),
    ],
)
def test_what_can_be_asked_for(words: tuple[str, str, str], allowed: set[str]) -> None:
    assert instance(*words).allowed == allowed


@pytest.mark.parametrize("label", [None, "", "  ", 7])
def test_an_instance_without_a_label_is_called_by_its_id(label: object) -> None:
    assert instance("running", "running", "running", label=label).name == "700001"
