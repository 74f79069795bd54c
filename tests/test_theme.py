"""Colours can be read on every ground, and every theme has all of them."""

from __future__ import annotations

import pytest
from rich.color import Color, ColorSystem
from textual.app import App
from textual.theme import Theme

from tui import theme
from tui.runs.model import Verdict
from tui.theme import BASIC, DARK, DARK_256, LIGHT, LIGHT_256, Palette, theme_name, themes

VERDICTS: tuple[Verdict, ...] = (
    *("starting", "running", "stalled", "diverged", "dead"),
    *("stopped", "failed", "completed", "unknown"),
)
TEXTS = ("text", "bright", "muted", "accent", "best", "good", "warning", "bad", *VERDICTS)
LINES = tuple(f"line{number}" for number in range(1, 7))


def luminance(colour: Color | None) -> float:
    """Relative luminance as WCAG 2 defines it."""
    assert colour is not None
    parts = [value / 255 for value in colour.get_truecolor()]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(palette: Palette, name: str, ground: str) -> float:
    """Contrast ratio of a style on its ground."""
    style = palette.style(name, ground)
    first, second = luminance(style.color), luminance(style.bgcolor)
    return (max(first, second) + 0.05) / (min(first, second) + 0.05)


@pytest.mark.parametrize("name", [DARK, LIGHT, DARK_256, LIGHT_256])
@pytest.mark.parametrize("ground", ["background", "surface", "selected"])
def test_text_and_states_have_the_contrast_of_text(name: str, ground: str) -> None:
    palette = Palette(name)
    low = 3.0 if ground == "selected" else 4.5
    weak = {text: contrast(palette, text, ground) for text in TEXTS}
    assert {text: ratio for text, ratio in weak.items() if ratio < low} == {}


@pytest.mark.parametrize("name", [DARK, LIGHT, DARK_256, LIGHT_256])
def test_lines_of_charts_and_faint_text_can_be_seen(name: str) -> None:
    palette = Palette(name)
    assert all(contrast(palette, line, "background") >= 3 for line in LINES)
    assert contrast(palette, "faint", "background") >= 2.5


def test_every_theme_has_every_colour() -> None:
    names = {frozenset(colours) for colours in theme._COLOURS.values()}
    assert len(names) == 1


def test_greys_stay_grey_in_256_colours() -> None:
    for colours in (theme._DARK_GREYS, theme._LIGHT_GREYS):
        for name, colour in colours.items():
            shown = Color.parse(colour).downgrade(ColorSystem.EIGHT_BIT).get_truecolor()
            assert name == "match" or shown.red == shown.green == shown.blue


def test_sixteen_colours_tell_the_selection_by_reverse_video() -> None:
    palette = Palette(BASIC)
    assert palette.style("text", "selected").reverse
    assert not palette.style("text").reverse


def test_a_terminal_gets_the_theme_of_its_colours() -> None:
    assert theme_name("full", dark=True) == DARK
    assert theme_name("256", dark=False) == LIGHT_256
    assert theme_name("16", dark=False) == BASIC


@pytest.mark.parametrize(
    ("term", "colorterm", "colours"),
    [("screen", "", "16"), ("tmux-256color", "", "256"), ("xterm-256color", "truecolor", "full")],
)
def test_the_terminal_is_asked_through_its_environment(
    monkeypatch: pytest.MonkeyPatch, term: str, colorterm: str, colours: str
) -> None:
    monkeypatch.setenv("TERM", term)
    monkeypatch.setenv("COLORTERM", colorterm)
    assert theme.terminal_colours() == colours


@pytest.mark.parametrize("own", themes(), ids=lambda own: own.name)
def test_textual_takes_every_theme(own: Theme) -> None:
    app: App[None] = App(ansi_color=own.ansi or None)
    app.register_theme(own)
    app.theme = own.name
    assert app.current_theme.name == own.name
