"""Charts of a run, drawn by plotext into plain cells: no terminal, no widget, no I/O.

``plots`` chooses what to draw from a run's metrics, ``draw`` turns one plot into rows of cells
with roles, ``text`` gives them colours for stdout; the screen's chart widget styles the same cells.
"""

from __future__ import annotations
