"""Follows one log on one box as it grows, through lost links and back."""

from __future__ import annotations

import json
import queue
from dataclasses import replace
from typing import Literal

from tui.cli.choice import tell_link
from tui.cli.glance import find_run
from tui.cli.log_cursor import LogCursor
from tui.cli.session import Session
from tui.clock import Clock
from tui.links.base import LinkError
from tui.report.exit_code import BOX_NOT_READ
from tui.report.order import main_run
from tui.text import said
from tui.view import BoxView, RunView

_SETTLE_SECONDS = 1.0
"""A box is given so long after its first sign of life to name its runs before one is chosen."""


def follow_log(
    session: Session,
    target: str,
    lines: int,
    which: Literal["run", "console"] | None,
    *,
    as_json: bool,
) -> int:
    """Print a log as it grows until Ctrl-C, or until the box refuses for good."""
    from tui.watch.fleet import Fleet

    boxes = session.boxes([target])
    changed: queue.SimpleQueue[str] = queue.SimpleQueue()
    whole = [replace(box, run=None) for box in boxes]  # a run may be named by its id's end
    fleet = Fleet(whole, session.asker, session.keeping(boxes))
    fleet.subscribe(changed.put)
    follower = _Follower(session, boxes[0].run, lines, which, as_json)
    try:
        while True:
            view = fleet.box(boxes[0].name)
            if view is not None and not follower.take(view):
                return BOX_NOT_READ
            _wait(changed)
    finally:
        fleet.close()


def _wait(changed: queue.SimpleQueue[str]) -> None:
    """Wait for a change and take all that came with it."""
    try:
        changed.get(timeout=_SETTLE_SECONDS)
        while True:
            changed.get_nowait()
    except queue.Empty:
        return


class _Follower:
    """What has been printed so far, and of which run."""

    def __init__(
        self,
        session: Session,
        wanted: str | None,
        lines: int,
        which: Literal["run", "console"] | None,
        as_json: bool,
    ) -> None:
        self._session = session
        self._wanted = wanted
        self._which = which
        self._as_json = as_json
        self._cursor = LogCursor(newest=lines)
        self._path: str | None = None
        self._clock = Clock()
        self._live_since: float | None = None
        self._told: str | None = None
        self._told_link: str | None = None

    def take(self, view: BoxView) -> bool:
        """Print what is new; False when the box waits for a person."""
        if view.link.state == "live" and self._live_since is None:
            self._live_since = self._clock.steady()
        self._tell_link(view)
        run = self._run(view)
        if run is not None:
            self._print(run)
        return view.link.state != "refused"

    def _run(self, view: BoxView) -> RunView | None:
        if self._path is not None:
            return next((run for run in view.runs if run.run.path == self._path), None)
        if self._live_since is None:
            return None
        settled = self._clock.steady() - self._live_since >= _SETTLE_SECONDS
        run = find_run(view, self._wanted) if self._wanted else None
        if run is None and settled and self._wanted is None:
            run = main_run(view.runs)
        if run is None:
            if settled:
                what = f"run {said(self._wanted)}" if self._wanted else "run"
                self._tell_once(f"no {what} on {said(view.name)} yet; waiting for it")
            return None
        self._path = run.run.path
        if self._wanted is None and len(view.runs) > 1:
            self._tell_once(f"following {said(run.run.id)}, one of {len(view.runs)} runs")
        return run

    def _print(self, view: RunView) -> None:
        from tui.verbs.logs import pick_log

        kind, log, path = pick_log(view, self._which)
        self._which = kind if log.lines else self._which
        lines = self._cursor.read(log)
        if self._as_json:
            lines = [
                json.dumps({"run": view.run.id, "log": kind, "path": path, "line": line})
                for line in lines
            ]
        if lines:
            self._session.console.say_all(lines)

    def _tell_link(self, view: BoxView) -> None:
        if view.link.state == "live":
            self._told = (
                None if self._told and self._told.startswith(view.link.state) else self._told
            )
            return
        if view.link.error and view.link.error != self._told_link:
            self._told_link = view.link.error
            try:
                tell_link(self._session, view, known=False)
            except LinkError as error:
                self._session.console.tell(str(error))

    def _tell_once(self, text: str) -> None:
        if text != self._told:
            self._told = text
            self._session.console.tell(text)
