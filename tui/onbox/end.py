"""The program that ends the training of a run, one asked-for step at a time.

Between two requests nothing is signalled: when nobody asks any more, the
training stays as it is. Processes are named ``[pid, start]``.
"""

from __future__ import annotations

import time
from typing import Any, Dict, List

from tui.onbox.end_gpus import gpus
from tui.onbox.end_signals import send
from tui.onbox.end_signals import told as told_signal
from tui.onbox.end_signs import Gone, Run
from tui.onbox.end_table import table
from tui.onbox.end_tree import Member, Members, alive, described, find, grow, told
from tui.onbox.places import Refused
from tui.onbox.serving import Operation, Program, Request, serve

TICK_SECONDS = 0.1
TELL_SECONDS = 1.0
LONGEST_SECONDS = 600.0


def main(first: bytes) -> None:
    """Answer until nobody asks any more."""
    serve(first, End)


class End(Program):
    """Answers the requests of one line."""

    def operations(self) -> dict[str, Operation]:
        """Return what may be asked for."""
        return {
            "look": self._look,
            "signal": self._signal,
            "wait": self._wait,
            "left": self._left,
        }

    def _look(self, request: Request) -> Dict[str, Any]:
        """Tell the whole tree of the run's training; ``gone`` says why there is none.

        ``known`` are processes that were left of it before.
        """
        run = _run(request)
        try:
            tree = find(run, told(request.get("known", [])))
        except Gone as gone:
            return {"gone": str(gone), "status": run.status()}
        found = alive(tree.members, table())
        return {
            "top": tree.top.pid,
            "training": tree.training.pid,
            "kernel": tree.kernel,
            "orphans": tree.orphans,
            "time": time.time(),
            "members": [described(one) for one in found],
            "status": run.status(),
            **gpus(),
        }

    def _signal(self, request: Request) -> Dict[str, Any]:
        """Send one signal to ``members``; each is looked at again right before."""
        signals = []
        for pid, start in told(request["members"]).items():
            self._line.check()
            member = Member(pid, start)
            signals.append(told_signal(member, send(member, request.get("signal"))))
        return {"signals": signals}

    def _wait(self, request: Request) -> Dict[str, Any]:
        """Wait until ``members`` are gone, or so many seconds; tell who is left on the way.

        With ``until_ended`` it is over, too, when the status says that the run does not run.
        """
        run, members = _run(request), told(request["members"])
        seconds = min(float(request["seconds"]), LONGEST_SECONDS)
        until, next_told = time.monotonic() + seconds, 0.0
        before: List[int] = []
        while True:
            processes = table()
            grow(members, processes)
            left = alive(members, processes)
            now = time.monotonic()
            ended = request.get("until_ended") and run.status().get("state") != "running"
            if not left or ended or now >= until:
                return self._seen(run, members, bool(ended))
            pids = [one.pid for one in left]
            if pids != before or now >= next_told:
                before, next_told = pids, now + TELL_SECONDS
                self._tell(waiting={"left": len(pids), "seconds": max(0.0, until - now)})
            self._line.pause(TICK_SECONDS)

    def _left(self, request: Request) -> Dict[str, Any]:
        """Tell who of ``members``, and of what they started, is left, and the GPUs' memory."""
        run, members = _run(request), told(request["members"])
        grow(members, table())
        return {**self._seen(run, members, False), **gpus()}

    def _seen(self, run: Run, members: Members, ended: bool) -> Dict[str, Any]:
        processes = table()
        found = [one for one in processes.values() if members.get(one.pid) == one.start]
        return {
            "left": [described(one) for one in sorted(found) if one.alive],
            "zombies": [one.pid for one in sorted(found) if not one.alive],
            "members": sorted([pid, start] for pid, start in members.items()),
            "ended": ended,
            "status": run.status(),
        }


def _run(request: Request) -> Run:
    pid, began = request["pid"], request.get("started_at")
    if type(pid) is not int:
        raise Refused("usage", "the request names no pid")
    return Run(str(request["run"]), pid, None if began is None else float(began))
