"""The commit that a box names: what it has to be, and what if the Hub has it no more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.actions.pushing import REPO, Pushing
from tests.hub import hub_fixture  # noqa: F401
from tests.hub.faults import Answer
from tests.hub.server import Hub
from tests.onbox.checkpoints import checkpoint
from tui.actions import hub_prove
from tui.actions.hub_problem import HubError
from tui.actions.push import Unproven
from tui.actions.snapshot import Rules


@pytest.fixture
def unsettled(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pushing:
    """A push whose commit has landed, and which nobody could verify."""
    monkeypatch.setattr(hub_prove, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr("tui.onbox.hub_upload.LOOK_SECONDS", 0.05)
    monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
    rules = Rules(settle=0.05, patience=3.0, spare=0)
    pushing = Pushing(hub, tmp_path, rules, best=checkpoint(60_000, 1))
    hub.order("paths-info", Answer(403))
    with pytest.raises(Unproven):
        pushing.push()
    hub.faults.clear()
    return pushing


def test_a_commit_that_was_squashed_is_found_under_its_new_name(
    hub: Hub, unsettled: Pushing
) -> None:
    repo = hub.store.repos[REPO]
    squashed = repo.commits.pop()
    repo.add("all of it, squashed", squashed.entries)
    assert unsettled.settle().commit == repo.head.oid != squashed.oid
    assert [proof.commit for proof in unsettled.proofs] == [repo.head.oid]
    assert unsettled.noted == []


def test_a_commit_that_is_gone_is_not_saved_and_holds_up_nothing(
    hub: Hub, unsettled: Pushing
) -> None:
    hub.store.repos[REPO].commits.pop()
    with pytest.raises(HubError, match="does not have the commit") as caught:
        unsettled.settle()
    assert not isinstance(caught.value, Unproven)
    assert caught.value.problem.retryable
    assert (unsettled.proofs, unsettled.noted) == ((), [])


@pytest.mark.parametrize("word", ["main", "refs/pr/1", "a" * 39, 7])
def test_a_box_that_names_no_commit_is_not_believed(
    hub: Hub, unsettled: Pushing, word: object
) -> None:
    told = json.loads(unsettled.result.read_text())
    unsettled.result.write_text(json.dumps({**told, "commit": word}))
    head = hub.store.repos[REPO].head.oid
    assert unsettled.settle().commit == head
    assert [proof.commit for proof in unsettled.proofs] == [head]
