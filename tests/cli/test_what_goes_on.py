"""What is said of a push that is followed no longer."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from tui.actions.errors import ActionError
from tui.cli.console import Console
from tui.cli.earlier import what_goes_on
from tui.cli.session import Session
from tui.runs.pending import PendingPush


class Kept:
    """Stands for the weights of a box: only which pushes have not ended."""

    def __init__(self) -> None:
        self.jobs = ["earlier"]

    def unsettled(self, run: str) -> Iterator[PendingPush]:
        for job in self.jobs:
            yield PendingPush(job, "lab", run, f"my-org/{job}", "box", 1.0, ())


@pytest.fixture
def session() -> Session:
    session = Session()
    session.__dict__["console"] = Console(out=io.StringIO(), err=io.StringIO())
    return session


@pytest.mark.parametrize("begun", [True, False])
def test_a_link_that_breaks_leaves_the_upload_to_the_box(session: Session, begun: bool) -> None:
    saving = Kept()
    followed = what_goes_on(session, saving, "/r")  # type: ignore[arg-type]
    with pytest.raises(ActionError, match="the connection broke") as raised, followed:
        saving.jobs += ["new"] if begun else []
        raise ActionError("lost", "the connection broke", "look at the network")
    goes = "; the box goes on with the upload to my-org/new; the next `boxtop push` of this run"
    assert (raised.value.hint or "").startswith("look at the network" + (goes if begun else ""))
    assert ("goes on" in (raised.value.hint or "")) is begun
    assert raised.value.kind == "lost"
