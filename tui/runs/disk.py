"""How full the disk of a run is, in words."""

from __future__ import annotations

from tui.facts import Disk
from tui.runs.words import size_text, used_percent

WARN_PERCENT = 90
FULL_PERCENT = 98


def disk_full_text(disk: Disk | None) -> str | None:
    """``disk full (100 %, 1000 KB left)`` from 98 % of space or inodes on, else None."""
    return _text(disk, FULL_PERCENT)


def disk_text(disk: Disk | None) -> str | None:
    """Like ``disk_full_text``, or ``disk 91 % full (21.3 GB left)`` from 90 % on."""
    return disk_full_text(disk) or _text(disk, WARN_PERCENT)


def _text(disk: Disk | None, least: int) -> str | None:
    if disk is None:
        return None
    space = used_percent(disk.free, disk.total)
    if space is not None and space >= least:
        left = f"{size_text(disk.free)} left"
        return (
            f"disk full ({space} %, {left})"
            if space >= FULL_PERCENT
            else f"disk {space} % full ({left})"
        )
    if disk.inodes_free is None or not disk.inodes_total:
        return None
    inodes = used_percent(disk.inodes_free, disk.inodes_total)
    if inodes is None or inodes < least:
        return None
    left = f"{disk.inodes_free} left"
    return (
        f"disk full ({inodes} % of inodes, {left})"
        if inodes >= FULL_PERCENT
        else f"disk {inodes} % full of inodes ({left})"
    )
