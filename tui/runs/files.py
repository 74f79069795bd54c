"""The files of a LibreYOLO run: the one place that knows their names and how they are written.

Source: LibreYOLO 1.6.0, ``training/artifacts.py`` and recordings of real runs.
"""

from __future__ import annotations

STATUS = "status.json"
METRICS = "metrics.jsonl"
RESULTS = "results.csv"
LOG = "train.log"
CONFIG = "train_config.yaml"
SUMMARY = "summary.json"
PROFILE = "profile.json"
PUSHED = "boxtop-pushed.json"
"""What ``tui.callbacks.PushToHub`` says that it has pushed: a claim, until the Hub was asked."""
CONSOLE = "console.log"
"""The mirror's name for what ``nohup … > FILE`` caught; on the box it has any path."""

MARKERS = (STATUS, METRICS, RESULTS)
"""A directory that holds one of these is a run (the rule of LibreYOLO's own monitor)."""

REPLACED = (STATUS, CONFIG, SUMMARY, PROFILE, PUSHED)
"""Files that their writer replaces as a whole; they are read by path each time."""

APPENDED = (METRICS, RESULTS, LOG)
"""Files that grow; results.csv is rewritten when a column is added (a new generation)."""

TAILED = (LOG, CONSOLE)
"""Logs: only their newest part is read and kept."""

WEIGHTS = "weights"
CHECKPOINT_SUFFIX = ".pt"

PRUNED = (WEIGHTS, "datasets", "images", "labels", "node_modules", "__pycache__", ".git")
"""Directories that are never searched for runs."""

SEARCH_DEPTH = 4
"""How many levels below a root are searched for runs."""

LOG_TAIL_BYTES = 200_000
"""How much of a log's end is read at first."""

REPLACED_MAX_BYTES = 1_000_000
"""A replaced file above this size is not one of LibreYOLO's and is left alone."""


def is_temporary(path: str) -> bool:
    """Whether a directory is being written, and gets its name later (``.run3.tmp``)."""
    return any(part.startswith(".") and part.endswith(".tmp") for part in path.split("/"))
