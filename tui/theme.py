"""boxtop's own look: one set of colours for dark, light and sixteen-colour terminals.

A colour never carries a meaning alone: every state also has a glyph and a word. Widgets ask a
``Palette`` for styles by name; Textual's own widgets get the same colours as a theme.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Literal

from rich.style import Style
from textual.theme import BUILTIN_THEMES, Theme

DARK, LIGHT, BASIC = "boxtop-dark", "boxtop-light", "boxtop-16"
DARK_256, LIGHT_256 = "boxtop-dark-256", "boxtop-light-256"
COLOURLESS = "boxtop-colourless"

Colours = Literal["full", "256", "16", "none"]
"""How many colours a terminal shows."""

_DARK: Mapping[str, str] = {
    "background": "#0e1116",
    "surface": "#141920",
    "selected": "#1d2530",
    "text": "#d3d9e3",
    "bright": "#f2f5fa",
    "muted": "#8a95a8",
    "faint": "#566073",
    "line": "#2b3442",
    "accent": "#ffb073",
    "running": "#8bd49c",
    "starting": "#7cc7e8",
    "stalled": "#f0c674",
    "diverged": "#f79a5e",
    "dead": "#ff7a85",
    "stopped": "#9aa6ba",
    "failed": "#ff7a85",
    "completed": "#7fa8f5",
    "unknown": "#8a95a8",
    "good": "#8bd49c",
    "warning": "#f0c674",
    "bad": "#ff7a85",
    "best": "#ffd580",
    "line1": "#6fb1ff",
    "line2": "#f29ac7",
    "line3": "#6adfc4",
    "line4": "#d9c078",
    "line5": "#b79cf7",
    "line6": "#f0a480",
    "match": "#3d3318",
}

_LIGHT: Mapping[str, str] = {
    "background": "#fbfbf9",
    "surface": "#f3f3ef",
    "selected": "#e6ebf2",
    "text": "#2b3240",
    "bright": "#0d121a",
    "muted": "#525d6d",
    "faint": "#868f9d",
    "line": "#d3d8df",
    "accent": "#9a4300",
    "running": "#146634",
    "starting": "#0b5a78",
    "stalled": "#785200",
    "diverged": "#9a3f00",
    "dead": "#b01c31",
    "stopped": "#525d6d",
    "failed": "#b01c31",
    "completed": "#1f4ea3",
    "unknown": "#525d6d",
    "good": "#146634",
    "warning": "#785200",
    "bad": "#b01c31",
    "best": "#7a5200",
    "line1": "#1f66c1",
    "line2": "#b3317d",
    "line3": "#0b7d69",
    "line4": "#8a6a10",
    "line5": "#6a45c4",
    "line6": "#b0531f",
    "match": "#fbe7a8",
}

_BASIC: Mapping[str, str] = {
    "background": "default",
    "surface": "default",
    "selected": "default",
    "text": "default",
    "bright": "default",
    "muted": "default",
    "faint": "bright_black",
    "line": "bright_black",
    "accent": "yellow",
    "running": "green",
    "starting": "cyan",
    "stalled": "yellow",
    "diverged": "magenta",
    "dead": "red",
    "stopped": "default",
    "failed": "red",
    "completed": "blue",
    "unknown": "default",
    "good": "green",
    "warning": "yellow",
    "bad": "red",
    "best": "yellow",
    "line1": "cyan",
    "line2": "magenta",
    "line3": "green",
    "line4": "yellow",
    "line5": "blue",
    "line6": "red",
    "match": "default",
}
"""The terminal's own sixteen colours: whatever its owner made readable stays readable."""

_DARK_GREYS: Mapping[str, str] = {
    "background": "#121212",
    "surface": "#1c1c1c",
    "selected": "#303030",
    "text": "#d0d0d0",
    "bright": "#eeeeee",
    "muted": "#949494",
    "faint": "#6c6c6c",
    "line": "#444444",
    "match": "#5f5f00",
}
"""Greys of the 256 colours: the nearest to our own bluish ones would be a loud blue."""

_LIGHT_GREYS: Mapping[str, str] = {
    "background": "#eeeeee",
    "surface": "#e4e4e4",
    "selected": "#d0d0d0",
    "text": "#303030",
    "bright": "#080808",
    "muted": "#585858",
    "faint": "#808080",
    "line": "#b2b2b2",
    "match": "#ffffaf",
}

_COLOURS: Mapping[str, Mapping[str, str]] = {
    DARK: _DARK,
    LIGHT: _LIGHT,
    DARK_256: {**_DARK, **_DARK_GREYS},
    LIGHT_256: {**_LIGHT, **_LIGHT_GREYS},
    BASIC: _BASIC,
    COLOURLESS: dict.fromkeys(_BASIC, "default"),
}


def themes() -> tuple[Theme, ...]:
    """Return boxtop's themes for Textual's own widgets (inputs, buttons, the palette)."""
    dark = (_theme(name, dark=True) for name in (DARK, DARK_256))
    light = (_theme(name, dark=False) for name in (LIGHT, LIGHT_256))
    return (*dark, *light, _basic(), _colourless())


def theme_name(colours: Colours, *, dark: bool) -> str:
    """Return the theme for a terminal; one of sixteen colours has its own dark or light."""
    if colours == "16":
        return BASIC
    if colours == "none":
        return COLOURLESS
    return (DARK if dark else LIGHT) if colours == "full" else (DARK_256 if dark else LIGHT_256)


def terminal_colours(*, no_color: bool = False) -> Colours:
    """Return how many colours this terminal shows, by NO_COLOR, TERM and COLORTERM."""
    if no_color or os.environ.get("NO_COLOR"):
        return "none"
    from rich.console import Console

    found = Console(force_terminal=True).color_system
    return "full" if found == "truecolor" else "256" if found == "256" else "16"


def _theme(name: str, *, dark: bool) -> Theme:
    colour = _COLOURS[name]
    return Theme(
        name=name,
        primary=colour["accent"],
        secondary=colour["line1"],
        accent=colour["accent"],
        foreground=colour["text"],
        background=colour["background"],
        surface=colour["surface"],
        panel=colour["selected"],
        success=colour["good"],
        warning=colour["warning"],
        error=colour["bad"],
        dark=dark,
        variables={
            "bt-line": colour["line"],
            "bt-muted": colour["muted"],
            "bt-faint": colour["faint"],
            "bt-bright": colour["bright"],
            "block-cursor-background": colour["selected"],
            "block-cursor-foreground": colour["bright"],
            "block-cursor-text-style": "bold",
            "block-cursor-blurred-background": colour["selected"],
            "input-cursor-background": colour["accent"],
            "input-selection-background": colour["selected"],
            "border": colour["accent"],
            "border-blurred": colour["line"],
            "bt-focus-text-style": "bold",
            "bt-focus-background": colour["accent"],
            "bt-focus-color": colour["background"],
        },
    )


def _basic() -> Theme:
    """Textual's theme of the terminal's own colours, with what our style sheets add."""
    ansi = BUILTIN_THEMES["ansi-dark"]
    return replace(
        ansi,
        name=BASIC,
        primary="ansi_yellow",
        secondary="ansi_cyan",
        accent="ansi_yellow",
        variables={
            **ansi.variables,
            "bt-line": "ansi_bright_black",
            "bt-muted": "ansi_default",
            "bt-faint": "ansi_bright_black",
            "bt-bright": "ansi_default",
            "bt-focus-text-style": "bold reverse",  # no pair of its colours is sure to be read
            "bt-focus-background": "ansi_default",
            "bt-focus-color": "ansi_default",
            "border": "ansi_yellow",
            "border-blurred": "ansi_bright_black",
        },
    )


def _colourless() -> Theme:
    """Attributes in the place of colours: what has the focus, or a cursor, is reversed."""
    basic = _basic()
    return replace(
        basic,
        name=COLOURLESS,
        variables={
            **basic.variables,
            "block-cursor-text-style": "reverse",
            "block-cursor-blurred-text-style": "reverse",
            "input-cursor-text-style": "reverse",
        },
    )


class Palette:
    """Rich styles of one theme by name: ``style("running")``, ``style("text", "selected")``."""

    def __init__(self, theme: str) -> None:
        self.theme = theme if theme in _COLOURS else DARK
        self._colours = _COLOURS[self.theme]
        self._styles: dict[tuple[str, str, bool, bool], Style] = {}

    @cached_property
    def basic(self) -> bool:
        """Whether backgrounds cannot tell a selection: reverse video must."""
        return self.theme in (BASIC, COLOURLESS)

    def style(
        self, name: str, ground: str = "background", *, bold: bool = False, dim: bool = False
    ) -> Style:
        """Return a style; ``dim`` is for data that may be old: every colour becomes faint."""
        key = (name, ground, bold, dim)
        known = self._styles.get(key)
        if known is None and self.theme == COLOURLESS:
            known = self._styles[key] = Style(
                bold=bold or name == "accent", dim=dim, reverse=ground in ("selected", "match")
            )
        if known is None:
            is_reverse = self.basic and ground in ("selected", "match")
            known = self._styles[key] = Style(
                color="default" if is_reverse else self._colours["faint" if dim else name],
                bgcolor=self._colours[ground],
                bold=bold and not dim,
                reverse=is_reverse,
            )
        return known
