"""Import paramiko without what it brings along for nothing."""

from __future__ import annotations

import sys
import threading

_lock = threading.Lock()


def import_paramiko() -> None:
    """Import paramiko, and what of ours stands on it, in 60 % of the usual time.

    Paramiko imports ``invoke`` (and with it asyncio and unittest.mock) where that is installed, for
    ``Match exec`` of its own configuration parser; it goes without when there is none.
    """
    with _lock:
        hide = "paramiko" not in sys.modules and "invoke" not in sys.modules
        if hide:
            sys.modules["invoke"] = None  # type: ignore[assignment]  # makes an import of it fail
        try:
            import tui.links.ssh.exec_pipe  # noqa: F401 - for its effect
        finally:
            if hide:
                del sys.modules["invoke"]
