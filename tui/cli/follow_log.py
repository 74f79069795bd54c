"""Follows one log on one box as it grows, through lost links and back."""

from __future__ import annotations

import json
import queue
import threading
from dataclasses import replace
from typing import Literal

from tui.cli.choice import tell_link
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
    fleet = Fleet(whole, session.asker, session.keeping(boxes), connect=False)
    follower = _Follower(session, boxes[0].run, lines, which, as_json)

    def heard(name: str) -> None:
        """Read on the link's own thread: a log may begin anew twice before anybody else looks."""
        follower.collect()
        changed.put(name)

    fleet.subscribe(heard)
    fleet.start()
    try:
        while True:
            view = fleet.box(boxes[0].name)
            with fleet.still(boxes[0].name):
                goes_on = view is None or follower.take(view)
            follower.write()
            if not goes_on:
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
        self._log: LogTail | None = None
        self._labels: dict[str, str] = {}
        self._collecting = threading.Lock()
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._path: str | None = None
        self._clock = Clock()
        self._live_since: float | None = None
        self._told: str | None = None
        self._told_link: str | None = None

    def take(self, view: BoxView) -> bool:
        """Choose the run and its log and collect what is new; False when the box needs a person."""
        if view.link.state == "live" and self._live_since is None:
            self._live_since = self._clock.steady()
        self._tell_link(view)
        run = self._run(view)
        if run is not None:
            self._choose_log(run)
            self.collect()
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
