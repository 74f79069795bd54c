"""A box that refuses the connection while a finish line without a screen waits for it, or acts."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest

from tui.actions.finish_line import FinishView, Phase
from tui.actions.finish_wish import Setting, Wish
from tui.actions.instance_plan import Bound
from tui.cli.console import Console
from tui.cli.finish_headless import _Waiting
from tui.cli.session import Session
from tui.view import BoxView, LinkView

BOUND = Bound("vast", "700001", "lab", None)
SETTING = Setting("lab", Wish(("pull",), "destroy"), BOUND, "lab")
REFUSED = LinkView("refused", error="another host key than the one that is known")


def waiting(phase: Phase) -> tuple[_Waiting, io.StringIO]:
    session, err = Session(), io.StringIO()
    session.console = Console(out=io.StringIO(), err=err)
    view = FinishView(SETTING, phase, "destroys lab")
    fleet = SimpleNamespace(box=lambda _name: BoxView("lab", "lab", REFUSED))
    finishes = SimpleNamespace(view=lambda _name: view)
    return _Waiting(session, fleet, finishes, "lab"), err  # type: ignore[arg-type]


@pytest.mark.parametrize("phase", ["waiting", "saving", "verifying", "counting"])
def test_it_ends_what_has_sent_nothing(phase: Phase) -> None:
    line, err = waiting(phase)
    assert line._code() == 4
    assert "another host key" in err.getvalue() and "nobody will" in err.getvalue()


def test_it_ends_nothing_that_was_sent() -> None:
    line, err = waiting("acting")
    assert line._code() is None
    assert err.getvalue() == ""
