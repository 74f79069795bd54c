"""`boxtop plot`: a run's charts as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tui.cli.choice import one_run
from tui.cli.options import Verb, targets_argument
from tui.cli.session import Session
from tui.errors import UserError, closest
from tui.report.exit_code import BOX_NOT_READ
from tui.text import said
from tui.view import BoxView, RunView

if TYPE_CHECKING:
    from tui.charts.model import Plot
    from tui.runs.metrics import Metrics


@click.command(cls=Verb, params=[targets_argument(required=True, many=False)])
@click.argument("keys", metavar="[KEY]...", nargs=-1)
@click.option("--width", type=click.IntRange(20, 1000), help="Cells; else the terminal's.")
@click.option(
    *("--height",),
    type=click.IntRange(4, 1000),
    default=14,
    show_default=True,
    help="Lines of each chart.",
)
@click.option(
    *("--smooth",),
    type=click.FloatRange(0, 0.99),
    default=0.0,
    show_default=True,
    help="Weight of the moving average.",
)
@click.option("--log-y", is_flag=True, help="Logarithmic height.")
@click.option("--json", "as_json", is_flag=True, help="Write the numbers instead.")
@click.pass_obj
def command(
    session: Session,
    target: str,
    keys: tuple[str, ...],
    width: int | None,
    height: int,
    smooth: float,
    log_y: bool,
    as_json: bool,
) -> int:
    """Draw a run's losses, metrics and learning rate, or the KEYs.

    A KEY is a column such as train/loss or mAP50; KEY,KEY draws several in one chart.
    """
    view, chosen = one_run(session, target)
    groups = [_known_columns(chosen.metrics, key) for key in keys]
    code = 0 if view.link.state == "live" else BOX_NOT_READ
    if as_json:
        session.console.say_all([_document(view, chosen, groups)])
        return code
    from tui.charts.model import Options
    from tui.charts.text import render

    paper = session.console.paper
    options = Options(smoothing=smooth, log_y=log_y, ascii_only=paper.ascii_only)
    text = render(
        _plots(chosen, groups),
        width=width or paper.width,
        height=height,
        ascii_only=paper.ascii_only,
        colour=paper.colour,
        options=options,
    )
    headline, verdict = chosen.run.headline, chosen.run.verdict
    state = headline if headline.lower().startswith(verdict) else f"{verdict}, {headline}"
    title = f"{view.name} {chosen.run.id}: {state}"
    session.console.say_all([said(title, width or paper.width), text])
    return code


def _known_columns(metrics: Metrics, key: str) -> list[str]:
    """Return the columns of ``KEY,KEY``. Raises UserError for one that the run does not have."""
    names = metrics.names()
    found: list[str] = []
    if not key.strip(", "):
        raise UserError(
            f"{said(key, 80)!r} names no column", f"it has {', '.join(map(said, names))}"
        )
    for word in filter(None, key.split(",")):
        full = [name for name in names if word in (name, name.partition("/")[2])]
        if not full:
            near = closest(word, [*names, *(name.partition("/")[2] for name in names)])
            guess = f"did you mean {near}? " if near else ""
            raise UserError(
                f"the run has no column {said(word, 80)!r}",
                f"{guess}it has {', '.join(map(said, names)) or 'none yet'}",
            )
        found += full[:1]
    return found


def _plots(view: RunView, groups: list[list[str]]) -> list[Plot]:
    from tui.charts import plots

    metrics, best = view.metrics, view.run.best
    if groups:
        return [plots.custom(metrics, columns) for columns in groups]
    mark = plots.best(metrics, best.name, best.value, best.epoch) if best else None
    return [plots.loss(metrics, mark), plots.metrics(metrics, mark), plots.rate(metrics)]


def _document(view: BoxView, run: RunView, groups: list[list[str]]) -> str:
    from tui.report.document import exact, json_text, number

    columns = [name for group in groups for name in group] or run.metrics.names()
    series: dict[str, Any] = {
        exact(name): [number(value) for value in run.metrics.series(name)] for name in columns
    }
    return json_text(
        {
            "schema_version": 1,
            "box": exact(view.name),
            "run": exact(run.run.id),
            "epochs": run.metrics.epochs,
            "series": series,
        }
    )
