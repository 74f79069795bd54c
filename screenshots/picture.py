"""Makes Textual's SVG pictures crisp: frames, blocks and braille as shapes, letters cell by cell.

Without this a picture depends on the fonts of whoever looks at it: few have all these signs in
one width, and then lines tear and columns drift.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from html import escape, unescape
from pathlib import Path

CELL, LINE, ABOVE = 12.2, 24.4, 18.5
"""Width and height of a cell in Textual's pictures, and its top above the baseline of its text."""

_FONTS = "'JetBrains Mono', 'Fira Code', 'DejaVu Sans Mono', Menlo, Consolas, monospace"
_TEXT = re.compile(
    r'<text class="(?P<kind>[^"]*-r\d+)" x="(?P<x>[\d.]+)" y="(?P<y>[\d.]+)"[^>]*>'
    r"(?P<text>[^<]*)</text>"
)
_FONT_FACE = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)

# Which of left, up, right, down a frame sign reaches, and whether it is heavy or dotted.
_ARMS = {
    "─": "lr",
    "│": "ud",
    "╭": "rd",
    "╮": "ld",
    "╰": "ru",
    "╯": "lu",
    "┌": "rd",
    "┐": "ld",
    "└": "ru",
    "┘": "lu",
    "├": "udr",
    "┤": "udl",
    "┬": "lrd",
    "┴": "lru",
    "┼": "lrud",
    "━": "lr",
    "┃": "ud",
}
_HEAVY = "━┃"
_LEVELS = "▁▂▃▅▆▇█"
_PARTS = {"▌": (0, 0, 0.5, 1), "▀": (0, 0, 1, 0.5), "▄": (0, 0.5, 1, 0.5)}
"""Left, top, width and height of half blocks, in parts of a cell."""
_DOTS = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))
"""Column and row of the eight bits of a braille sign."""


def crisp(svg: str) -> str:
    """Return the picture with every sign drawn in its own cell."""
    svg = _FONT_FACE.sub("", svg).replace("Fira Code, monospace", _FONTS)
    svg = svg.replace("font-variant-east-asian: full-width;", "")
    return _TEXT.sub(_cells, svg)


def save(svg: str, path: Path, *, png_width: int = 0) -> None:
    """Write the picture, and a PNG beside it where rsvg-convert is installed."""
    path.write_text(crisp(svg))
    converter = shutil.which("rsvg-convert")
    if png_width and converter:
        target = str(path.with_suffix(".png"))
        subprocess.run([converter, "-w", str(png_width), str(path), "-o", target], check=True)


def _cells(match: re.Match[str]) -> str:
    left, base = float(match["x"]), float(match["y"])
    shapes: list[str] = []
    letters: list[str] = []
    for index, sign in enumerate(unescape(match["text"]).replace("\xa0", " ")):
        x = left + index * CELL
        if sign == " ":
            continue
        shape = _shape(sign, x, base - ABOVE)
        if shape:
            shapes.append(shape)
        else:
            letters.append(f'<tspan x="{x:.1f}">{escape(sign)}</tspan>')
    kind = match["kind"]
    drawn = f'<g class="{kind}">{"".join(shapes)}</g>' if shapes else ""
    if letters:
        drawn += f'<text class="{kind}" y="{base}">{"".join(letters)}</text>'
    return drawn


def _shape(sign: str, x: float, y: float) -> str:
    """Return the SVG of a sign that is a shape, "" when it is a letter."""
    if "\u2800" <= sign <= "\u28ff":
        return _braille(ord(sign) - 0x2800, x, y)
    if sign in _LEVELS:
        height = LINE * (ord(sign) - ord("▁") + 1) / 8
        return _box(x, y + LINE - height, CELL, height)
    if sign in _PARTS:
        left, top, width, height = _PARTS[sign]
        return _box(x + CELL * left, y + LINE * top, CELL * width, LINE * height)
    if sign in "┈┊":
        return _dotted(sign, x, y)
    if sign in "╭╮╰╯":
        return _corner(sign, x, y)
    if sign in _ARMS:
        return _lines(sign, x, y)
    return ""


def _box(x: float, y: float, width: float, height: float) -> str:
    return f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}"/>'


def _braille(bits: int, x: float, y: float) -> str:
    return "".join(
        f'<circle cx="{x + CELL * (0.25 + 0.5 * column):.2f}"'
        f' cy="{y + LINE * (row + 0.5) / 4:.2f}" r="1.7"/>'
        for bit, (column, row) in enumerate(_DOTS)
        if bits >> bit & 1
    )


def _lines(sign: str, x: float, y: float) -> str:
    thick = 3.4 if sign in _HEAVY else 1.4
    middle_x, middle_y = x + CELL / 2, y + LINE / 2
    parts = {
        "l": (x, middle_y - thick / 2, CELL / 2 + thick / 2, thick),
        "r": (middle_x - thick / 2, middle_y - thick / 2, CELL / 2 + thick / 2, thick),
        "u": (middle_x - thick / 2, y, thick, LINE / 2 + thick / 2),
        "d": (middle_x - thick / 2, middle_y - thick / 2, thick, LINE / 2 + thick / 2),
    }
    return "".join(_box(*parts[arm]) for arm in _ARMS[sign])


def _dotted(sign: str, x: float, y: float) -> str:
    if sign == "┈":
        return "".join(
            _box(x + CELL * (i + 0.25) / 3, y + LINE / 2 - 0.7, 2, 1.4) for i in range(3)
        )
    return "".join(_box(x + CELL / 2 - 0.7, y + LINE * (i + 0.25) / 4, 1.4, 3) for i in range(4))


def _corner(sign: str, x: float, y: float) -> str:
    """Return a rounded corner: the area between two bends that are one line's width apart."""
    half, middle_x, middle_y = 0.7, x + CELL / 2, y + LINE / 2
    to_right, down = "r" in _ARMS[sign], "d" in _ARMS[sign]
    end_x, end_y = (x + CELL if to_right else x), (y + LINE if down else y)
    bend = middle_y + (CELL / 2 if down else -CELL / 2)
    dx, dy = (half if to_right else -half), (half if down else -half)
    outer_x, inner_x, outer_y, inner_y = middle_x - dx, middle_x + dx, middle_y - dy, middle_y + dy
    return (
        f'<path d="M{outer_x:.2f} {end_y:.2f} L{outer_x:.2f} {bend:.2f}'
        f" Q{outer_x:.2f} {outer_y:.2f} {end_x:.2f} {outer_y:.2f} L{end_x:.2f} {inner_y:.2f}"
        f' Q{inner_x:.2f} {inner_y:.2f} {inner_x:.2f} {bend:.2f} L{inner_x:.2f} {end_y:.2f} Z"/>'
    )
