"""The loop of a program on the box: a request, its replies, and an orderly end.

Each request has an ``op`` and may have an ``id`` that its replies carry as ``re``; the last one
holds ``done`` or ``error``. Requests are answered in order.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any, Callable, Dict

from tui.onbox.places import Refused
from tui.onbox.wire import Ended, Line

Request = Dict[str, Any]
Operation = Callable[[Request], Dict[str, Any]]


class Program:
    """Answers the requests of one line; subclasses name their operations."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._re: Any = None

    def operations(self) -> dict[str, Operation]:
        """Return what may be asked for, by the name of ``op``."""
        return {}

    def answer(self, request: Request) -> None:
        """Do what one request asks, and say how it ended. Raises Ended."""
        self._re = request.get("id")
        try:
            self._line.check()
            operation = self.operations().get(str(request.get("op")))
            if operation is None:
                raise Refused("usage", "no such operation: %s" % request.get("op"))
            self._tell(done=operation(request))
        except Refused as refused:
            self._tell(error=refused.values())
        except OSError as error:
            self._tell(error={"kind": "unreadable", "message": str(error)})
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            self._tell(error={"kind": "usage", "message": f"{type(error).__name__}: {error}"})

    def clean_up(self) -> None:
        """Let go of what the program holds: nobody asks any more."""

    def _tell(self, **values: object) -> None:
        self._line.tell(re=self._re, **values)


def serve(first: bytes, make: Callable[[Line], Program]) -> None:
    """Answer until nobody asks any more, clean up, and end this process."""
    line = Line(first, sys.stdin.buffer, 1)
    program = make(line)
    line.last_will = program.clean_up
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
    finally:
        program.clean_up()
    os._exit(0)  # a thread that waits for input would hold up an ordinary end


def _stop(number: int, frame: object) -> None:
    raise Ended
