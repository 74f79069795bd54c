"""The program that ends the training of a run, one asked-for step at a time.

Each request has an ``op`` and an ``id`` that its replies carry as ``re``; the last one holds
``done`` or ``error``. Between two requests nothing is signalled: when nobody asks any more, the
training stays as it is. Processes are named ``[pid, start]``.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any, Dict, List

from tui.onbox.end_gpus import gpus
from tui.onbox.end_signals import send
from tui.onbox.end_signals import told as told_signal
from tui.onbox.end_signs import Gone, Run
from tui.onbox.end_table import table
from tui.onbox.end_tree import Member, Members, alive, described, find, grow, told
from tui.onbox.places import Refused
from tui.onbox.wire import Ended, Line

TICK_SECONDS = 0.1
TELL_SECONDS = 1.0
LONGEST_SECONDS = 600.0

Request = Dict[str, Any]


def main(first: bytes) -> None:
    """Answer until nobody asks any more."""
    line = Line(first, sys.stdin.buffer, 1)
    program = Program(line)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    try:
        line.start()
        request = line.request()
        while request is not None:
            program.answer(request)
            request = line.request()
    except Ended:
        pass
    os._exit(0)  # a thread that waits for input would hold up an ordinary end


def _stop(number: int, frame: object) -> None:
    raise Ended


class Program:
    """Answers the requests of one line."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._re: Any = None
        self._operations: Dict[str, Callable[[Request], Dict[str, Any]]] = {
            "look": self._look,
            "signal": self._signal,
            "wait": self._wait,
            "left": self._left,
        }

    def answer(self, request: Request) -> None:
        """Do what one request asks, and say how it ended. Raises Ended."""
        self._re = request.get("id")
        try:
            self._line.check()
            operation = self._operations.get(str(request.get("op")))
            if operation is None:
                raise Refused("usage", "no such operation: %s" % request.get("op"))
            self._tell(done=operation(request))
        except Refused as refused:
            self._tell(error=refused.values())
        except OSError as error:
            self._tell(error={"kind": "unreadable", "message": str(error)})
        except (ValueError, TypeError, KeyError) as error:
            self._tell(error={"kind": "usage", "message": f"{type(error).__name__}: {error}"})

    def _tell(self, **values: object) -> None:
        self._line.tell(re=self._re, **values)

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
