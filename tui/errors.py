"""Errors that a person can mend: one line of what happened, one of what to do next."""

from __future__ import annotations


class UserError(Exception):
    """A mistake in a command, a target or a file: ``str(error)`` says which, ``hint`` what helps.

    ``boxtop`` prints both to stderr and exits with 2.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def closest(word: str, known: object, cutoff: float = 0.6) -> str | None:
    """Return the known word that is most like a mistyped one, None when none is."""
    import difflib

    names = [str(name) for name in known] if isinstance(known, (list, tuple, dict, set)) else []
    folded = {name.casefold(): name for name in names}
    found = difflib.get_close_matches(word.casefold(), folded, n=1, cutoff=cutoff)
    return folded[found[0]] if found else None
