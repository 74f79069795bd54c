"""One signal to one process that was named before, and to no other that took its pid since."""

from __future__ import annotations

import os
import signal
from typing import Any, Dict, Optional

from tui.onbox.end_tree import Member, current
from tui.onbox.places import Refused

SIGNALS = {"INT": signal.SIGINT, "TERM": signal.SIGTERM, "KILL": signal.SIGKILL}


def send(member: Member, name: object) -> str:
    """Return ``sent``, ``gone`` or ``denied``. Raises Refused("usage") for another signal."""
    number = SIGNALS.get(name) if isinstance(name, str) else None
    if number is None:
        raise Refused("usage", "boxtop does not send %s" % name)
    handle = _handle(member.pid)
    try:
        # In this order: a handle that was taken before the check cannot be a later process's.
        found = current(member)
        if found is None or member.pid in (0, 1, os.getpid()):
            return "gone"
        _signal(member.pid, handle, number)
        if found.stopped and number != signal.SIGKILL:
            _signal(member.pid, handle, signal.SIGCONT)
    except ProcessLookupError:
        return "gone"
    except PermissionError:
        return "denied"
    finally:
        if handle is not None:
            os.close(handle)
    return "sent"


def told(member: Member, outcome: str) -> Dict[str, Any]:
    """Return what a reply says of one signal."""
    return {"pid": member.pid, "start": member.start, "outcome": outcome}


def _handle(pid: int) -> Optional[int]:
    """Return a descriptor that means this process for ever; None without Python 3.9, Linux 5.3."""
    take = getattr(os, "pidfd_open", None)
    if take is None or not hasattr(signal, "pidfd_send_signal"):
        return None
    try:
        return int(take(pid))
    except OSError:
        return None


def _signal(pid: int, handle: Optional[int], number: signal.Signals) -> None:
    if handle is None:
        os.kill(pid, number)
    else:
        getattr(signal, "pidfd_send_signal")(handle, number)  # noqa: B009  # not in Python 3.8
