"""Files that a box has no more: whether their run went with them, or goes on without them. Pure."""

from __future__ import annotations

from tui.facts import Stat
from tui.runs import files
from tui.runs.status import read_status


class Gone:
    """The files of a run that are gone, as long as nobody knows what that means.

    Where another one comes, the run lives on, and what it lacks by then is of the past. Where none
    comes the whole run was deleted, and is shown and kept as it was.
    """

    def __init__(self) -> None:
        self._names: set[str] = set()

    def lose(self, name: str, stat: Stat | None, status: bytes | None) -> bool:
        """Take note that a file went; return whether it is of the past for certain.

        It is where it was last written before the training began that the ``status`` tells of: a
        new training removes what an earlier one left, and its status is often read before that.
        """
        began = None if files.STATUS in self._names else read_status(status).file
        if name != files.STATUS and stat is not None and began is not None:
            started_at = began.started_at
            if started_at is not None and stat.mtime < started_at:
                return True
        self._names.add(name)
        return False

    def come(self, name: str) -> frozenset[str]:
        """Take note that a file came; return which others are of the past by that.

        A console log lies elsewhere, and says nothing of the run's own files.
        """
        if name == files.CONSOLE:
            return frozenset()
        past = frozenset(self._names - {name})
        self._names.clear()
        return past
