"""What is typed most, answered without click: its import takes a quarter of a quick answer."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tui.cli.session import Session

_COMPLETE_VARIABLE = "_BOXTOP_COMPLETE"
_WITH_VALUE = {"--config": "config", "--data-dir": "data_dir"}


def quick_answer(words: Sequence[str]) -> int | None:
    """Run `status` or the screen and return the exit code; None for all that click must read.

    That is every other verb and option, and a first word that may be a mistyped verb.
    """
    session = Session()
    rest = _without_options(session, words)
    if rest is None or _COMPLETE_VARIABLE in os.environ:
        return None
    as_json = "--json" in rest
    plain = [word for word in rest if word != "--json"]
    if any(word.startswith("-") for word in plain):
        return None
    if plain[:1] == ["status"]:
        from tui.cli.status import show_status

        return show_status(session, plain[1:], as_json=as_json)
    if as_json or (plain and plain[0] != "watch" and "@" not in plain[0]):
        return None
    from tui.verbs.screen import watch

    return watch(session, plain[1:] if plain[:1] == ["watch"] else plain)


def _without_options(session: Session, words: Sequence[str]) -> list[str] | None:
    """Note options that have a value; None where one is missing or looks like an option."""
    rest: list[str] = []
    left = iter(words)
    for word in left:
        name = _WITH_VALUE.get(word)
        if name is None:
            rest.append(word)
            continue
        value = next(left, "")
        if not value or value.startswith("-"):
            return None
        setattr(session, name, value)
    return rest
