"""The table of figures as aligned text."""

from __future__ import annotations

from collections.abc import Sequence

from tests.bench.figures import Figure

HEADINGS = ("what", "measured", "noise", "baseline", "ratio", "target", "holds")
RIGHT = frozenset({"measured", "noise", "ratio"})


def text(figures: Sequence[Figure]) -> str:
    """Return the table, then the notes by number."""
    rows = [_row(figure) for figure in figures]
    widths = [max(map(len, column)) for column in zip(HEADINGS, *rows, strict=True)]
    lines = [_line(HEADINGS, widths), "  ".join("-" * width for width in widths)]
    for figure, row in zip(figures, rows, strict=True):
        lines.append(_line(row, widths))
        lines += [f"    {told}" for told in (figure.failure, figure.note) if told]
    return "\n".join(lines)


def number(value: float | None, unit: str) -> str:
    """A value with its unit, three significant digits or all of a whole number."""
    if value is None:
        return "-"
    shown = f"{value:.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"
    return f"{shown} {unit}".rstrip()


def _row(figure: Figure) -> tuple[str, ...]:
    baseline = number(figure.baseline, figure.unit)
    if figure.baseline is not None and figure.baseline_is:
        baseline += f" ({figure.baseline_is})"
    ratio = figure.ratio
    return (
        figure.what,
        number(figure.measured, figure.unit),
        "-" if figure.noise is None else f"±{figure.noise:.0%}",
        baseline,
        "-" if ratio is None else f"{ratio:.3g}",
        _target(figure),
        {True: "yes", False: "no", None: "-"}[figure.holds],
    )


def _target(figure: Figure) -> str:
    bounds = []
    if figure.at_most is not None:
        bounds.append(f"≤ {number(figure.at_most, figure.unit)}")
    if figure.ratio_at_most is not None:
        bounds.append(f"≤ {figure.ratio_at_most:.3g} ×")
    return ", ".join(bounds) or "-"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    placed = [
        cell.rjust(width) if heading in RIGHT else cell.ljust(width)
        for cell, width, heading in zip(cells, widths, HEADINGS, strict=True)
    ]
    return "  ".join(placed).rstrip()
