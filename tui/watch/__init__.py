"""Joins link, mirror and runs: follows boxes for days (Fleet) or looks at them once (look)."""

from tui.watch.fleet import Fleet
from tui.watch.look import look

__all__ = ["Fleet", "look"]
