"""All keys on one page, made from the key table."""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content

from tui import keys
from tui.keys import KeyMap
from tui.screens.page import Page

_KEYS_WIDTH = 12
_TEXT_WIDTH = 46


class HelpScreen(Page):
    """Groups of keys in as many columns as fit."""

    heading = "keys"

    def __init__(self, keymap: KeyMap, *, ascii_only: bool) -> None:
        super().__init__()
        self.keymap = keymap
        self.ascii_only = ascii_only

    def content(self, width: int) -> Content:
        """Return the groups, in one column or two."""
        two = width >= 2 * _TEXT_WIDTH
        columns = _columns(list(self._groups()), 2 if two else 1)
        each = width // 2 if two else width
        rows: list[Content] = []
        for index in range(max(map(len, columns))):
            cells = [column[index] if index < len(column) else Content("") for column in columns]
            rows.append(
                Content("").join(cell.pad_right(max(0, each - cell.cell_length)) for cell in cells)
            )
        return Content("\n").join(rows)

    def _groups(self) -> Iterable[list[Content]]:
        names = dict.fromkeys(action.group for action in self.keymap.actions)
        for name in names:
            actions = [action for action in self.keymap.actions if action.group == name]
            yield [
                Content.styled(name, self.ink("accent", bold=True)),
                *(self._row(action) for action in actions),
                Content(""),
            ]

    def _row(self, action: keys.Action) -> Content:
        palette = f"{keys.shown(self.keymap['palette'].key, self.ascii_only)} {action.id}"
        shown = " ".join(keys.shown(key, self.ascii_only) for key in action.keys) or palette
        return Content.assemble(
            (f"{shown:<{_KEYS_WIDTH}}", self.ink("bright", bold=True)),
            (action.help, self.ink("text")),
        )


def _columns(groups: list[list[Content]], count: int) -> list[list[Content]]:
    """Share groups between columns so that they are about equally long."""
    if count == 1:
        return [[row for group in groups for row in group]]
    total = sum(map(len, groups))
    left: list[Content] = []
    right: list[Content] = []
    for group in groups:
        target = left if not right and len(left) + len(group) // 2 <= total // 2 else right
        target += group
    return [left, right]
