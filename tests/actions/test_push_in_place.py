"""A push without room for a snapshot: the file itself goes, and has to stay what it is."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.actions.pushing import REPO, Pushing
from tests.hub import hub_fixture  # noqa: F401
from tests.hub.faults import Hold
from tests.hub.server import Hub
from tests.hub.store import Blob
from tests.onbox.checkpoints import checkpoint, leftovers
from tests.waiting import wait_until
from tui.actions.errors import ActionError
from tui.actions.hub_problem import HubError
from tui.actions.snapshot import Rules

NO_ROOM = Rules(settle=0.05, patience=3.0, spare=1 << 60)
BEST, NEXT = checkpoint(12_000_000, 1), checkpoint(12_000_000, 2)
LARGE = {"lfs": "put", "xet": "xorb"}


@pytest.fixture
def pushing(hub: Hub, tmp_path: Path) -> Pushing:
    return Pushing(hub, tmp_path, NO_ROOM, best=BEST)


def test_the_file_itself_goes_where_nothing_changes_it(hub: Hub, pushing: Pushing) -> None:
    pushing.push()
    assert "copying" not in {progress.stage for progress in pushing.told}
    assert hub.store.repos[REPO].head.entries["best.pt"].data == BEST
    assert leftovers(pushing.path) == []


@pytest.mark.parametrize("way", LARGE)
@pytest.mark.parametrize("trusting", [False, True], ids=["checking Hub", "trusting Hub"])
def test_what_changes_during_the_upload_is_not_committed(
    hub: Hub, pushing: Pushing, monkeypatch: pytest.MonkeyPatch, way: str, trusting: bool
) -> None:
    if way == "lfs":
        monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
    if trusting:
        trust(hub)
    hub.order(LARGE[way], Hold(1000), 1)
    ended: list[BaseException] = []
    thread = threading.Thread(target=lambda: ended.append(_failure(pushing)))
    thread.start()
    wait_until(lambda: hub.received(LARGE[way]) >= 1000, what="the first bytes")
    with (pushing.path / "weights/best.pt").open("r+b") as file:
        file.write(NEXT)
    hub.release()
    thread.join(60)
    (error,) = ended
    assert isinstance(error, HubError) and error.problem.kind == "changed", error
    assert error.problem.retryable
    assert pushing.proofs == ()
    assert "best.pt" not in hub.store.repos[REPO].head.entries


def trust(hub: Hub) -> None:
    """Let the Hub list what was announced to it, whatever arrives."""
    hub.store.spoil = "not at all"
    hub.store.put = lambda oid, data, xet_hash=None: hub.store.blobs.update(  # type: ignore[method-assign]
        {oid: Blob.of(BEST, xet_hash)}
    )


def _failure(pushing: Pushing) -> BaseException:
    try:
        pushing.push()
    except (ActionError, HubError) as error:
        return error
    return AssertionError("it was taken for saved")
