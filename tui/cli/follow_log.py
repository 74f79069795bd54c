"""Follows one log on one box as it grows, through lost links and back."""

from __future__ import annotations

import json
import queue
import threading
from contextlib import ExitStack
from dataclasses import replace
from typing import Literal

from tui.boxes import Box, RecordingTarget
from tui.cli.choice import tell_link
from tui.cli.closer import named_box
from tui.cli.glance import find_run
from tui.cli.log_cursor import LogCursor
from tui.cli.session import Session
from tui.clock import Clock
from tui.links.base import LinkError
from tui.report.document import exact
from tui.report.exit_code import BOX_NOT_READ
from tui.report.order import main_run
from tui.runs.log import LogTail
from tui.text import said
from tui.view import BoxView, RunView

_WAKE_SECONDS = 1.0
_SETTLE_SECONDS = 15.0
"""A box that has not told all by then is taken as it is."""


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

    (box,) = session.boxes([target], now=True)
    changed: queue.SimpleQueue[str] = queue.SimpleQueue()
    fleet = Fleet(
        [_all_that_may_be_meant(box)], session.asker, session.keeping([box]), connect=False
    )
    follower = _Follower(session, box.run, lines, which, as_json)
    plays = isinstance(box.target, RecordingTarget)  # from its start: what comes is new

    def heard(name: str) -> None:
        """Read on the link's own thread: a log may begin anew twice before anybody else looks."""
        follower.collect()
        changed.put(name)

    fleet.subscribe(heard)
    with ExitStack() as stack:
        stack.callback(fleet.close)
        fleet.start()
        if box.from_provider:
            from tui.cli.renting import renting

            stack.enter_context(renting(session, fleet))
        while True:
            view, known = fleet.box(box.name), fleet.watched(box.name)
            with fleet.still(box.name):
                settled = plays or (known is not None and known[0].settled)
                goes_on = view is None or follower.take(view, settled=settled)
            follower.write()
            if not goes_on:
                return BOX_NOT_READ
            _wait(changed)


def _all_that_may_be_meant(box: Box) -> Box:
    """Return where to look: at a run's whole path, else everywhere, for an id's end names it."""
    is_path = box.run is not None and box.run.startswith("/")
    return named_box(box, box.run) if box.run and is_path else replace(box, run=None)


def _wait(changed: queue.SimpleQueue[str]) -> None:
    """Wait for a change and take all that came with it."""
    try:
        changed.get(timeout=_WAKE_SECONDS)
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
        self._log: LogTail | None = None
        self._labels: dict[str, str] = {}
        self._collecting = threading.Lock()
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._path: str | None = None
        self._clock = Clock()
        self._live_since: float | None = None
        self._told: str | None = None
        self._told_link: str | None = None

    def take(self, view: BoxView, *, settled: bool) -> bool:
        """Choose the run and its log and collect what is new; False when the box needs a person.

        ``settled``: all that was there has come, so that the end of a log is its end.
        """
        if view.link.state == "live" and self._live_since is None:
            self._live_since = self._clock.steady()
        self._tell_link(view)
        run = self._run(view, settled)
        if run is not None:
            self._choose_log(run)
            self.collect()
        return view.link.state != "refused"

    def _run(self, view: BoxView, settled: bool) -> RunView | None:
        if self._path is not None:
            return next((run for run in view.runs if run.run.path == self._path), None)
        if self._live_since is None:
            return None
        if not settled and self._clock.steady() - self._live_since < _SETTLE_SECONDS:
            return None
        run = find_run(view, self._wanted) if self._wanted else main_run(view.runs)
        if run is None:
            what = f"run {said(self._wanted)}" if self._wanted else "run"
            self._tell_once(f"no {what} on {said(view.name)} yet; waiting for it")
            return None
        self._path = run.run.path
        if self._wanted is None and len(view.runs) > 1:
            self._tell_once(f"following {said(run.run.id)}, one of {len(view.runs)} runs")
        return run

    def collect(self) -> None:
        """Take the new lines of the log. Nothing may change the log meanwhile."""
        with self._collecting:
            for line in self._cursor.read(self._log) if self._log is not None else ():
                self._lines.put(line)

    def write(self) -> None:
        """Print what was collected."""
        lines = []
        while not self._lines.empty():
            lines.append(self._lines.get())
        if self._as_json:
            lines = [json.dumps({**self._labels, "line": line}) for line in lines]
        if lines:
            self._session.console.say_all(lines)

    def _choose_log(self, view: RunView) -> None:
        from tui.verbs.logs import pick_log

        kind, log, path = pick_log(view, self._which)
        self._which = kind if log.lines else self._which
        self._log = log
        self._labels = {"run": exact(view.run.id), "log": kind, "path": exact(path)}

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
