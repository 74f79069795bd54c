"""`boxtop cost`: stop against destroy for a box, or the arithmetic before anything is rented."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tui.cli.options import Verb
from tui.cli.session import Session
from tui.errors import UserError

if TYPE_CHECKING:
    from tui.cli.cost_facts import Known
    from tui.money.advice import Line
    from tui.money.question import Question
    from tui.report.lines import Paper

Function = TypeVar("Function", bound=Callable[..., Any])

PROVIDERS = ("vast", "runpod", "lambda")
_HEADING = 12
_STYLES = {"plain": "", "good": "green", "bad": "red", "dim": "dim"}


def checked(context: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    """Return an option's number, which NaN and infinity are not; a month has hours.

    Raises BadParameter, in words.
    """
    from tui.money.figures import amount
    from tui.text import said

    if value is None:
        return None
    found = amount(value)
    positive = parameter.name == "hours_per_month"
    if found is None or (positive and found == 0):
        least = "above 0" if positive else "of 0 or more"
        message = f"{said(value, 40)!r} is no number {least}"
        raise click.BadParameter(message, ctx=context, param=parameter)
    return found


def _amount(*names: str, metavar: str, text: str) -> Callable[[Function], Function]:
    return click.option(*names, callback=checked, default=None, metavar=metavar, help=text)


def _complete_box(context: click.Context, _: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    from tui.cli.listed_names import kept_names

    try:
        session = context.ensure_object(Session)
        known = [*session.names.settings.box, *kept_names(session)]
    except UserError:
        return []
    return [CompletionItem(name) for name in known if name.startswith(incomplete)]


@click.command(cls=Verb)
@click.argument("box", required=False, metavar="[BOX]", shell_complete=_complete_box)
@_amount("--price", metavar="USD", text="What an hour costs while the box runs.")
@_amount("--gb", metavar="GB", text="The size of the disk that is allocated.")
@_amount("--rate", "--storage", "storage", metavar="USD", text="What a GB of it costs a month.")
@_amount("--stopped", metavar="USD", text="The provider's own figure for a stopped hour.")
@_amount("--hours-per-month", metavar="H", text="Hours of a billed month.")
@_amount("--rebuild", metavar="USD", text="What a new box costs until it trains.")
@_amount("--setup-hours", metavar="H", text="Or: how long setting it up takes,")
@_amount("--gb-in", metavar="GB", text="how much data goes in,")
@_amount("--per-gb-in", "usd_per_gb_in", metavar="USD", text="and what a GB of that costs.")
@_amount("--pause", "pause_h", metavar="H", text="How long nothing will train.")
@_amount("--hours", metavar="H", text="How long the training takes.")
@_amount("--data", "data_gb", metavar="GB", text="Size of the data, to size a disk.")
@_amount("--checkpoints", "checkpoints_gb", metavar="GB", text="Size of the checkpoints.")
@click.option("--path", "paths", multiple=True, metavar="PATH", help="Where runs lie on the box.")
@click.option("--provider", type=click.Choice(PROVIDERS), help="Whose documented terms count.")
@click.option("--bill", is_flag=True, help="Tell instead what was paid, day by day.")
@click.option(
    *("--days",),
    type=click.IntRange(1, 400),
    default=7,
    show_default=True,
    help="How many days of the bill.",
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.pass_obj
def command(
    session: Session,
    /,
    box: str | None,
    bill: bool,
    days: int,
    as_json: bool,
    **given: Any,  # noqa: ANN401 - click's own values, one for each option
) -> int:
    """Weigh stopping a box against destroying it; no box is connected.

    BOX is a name of boxtop.toml or an instance of a provider there, whose prices count; what an
    option says comes first. --bill reads back what was paid, as far as boxtop watched.
    """
    if bill:
        from tui.cli.bill import show_bill

        return show_bill(session, days, as_json=as_json)
    from tui.money.question import answer, answer_document
    from tui.providers.errors import ProviderError
    from tui.report.exit_code import NOT_CONFIRMED, WELL

    try:
        asked, known = question(session, box, given)
    except ProviderError:
        return NOT_CONFIRMED
    code = WELL if known.confirmed else NOT_CONFIRMED
    found = answer(asked)
    if as_json:
        from tui.report.document import json_text

        cost = answer_document(found)
        document = {"schema_version": 1, "list_age_s": known.list_age_s, "cost": cost}
        session.console.say_all([json_text(document)])
        return code
    from tui.money.advice import advice_lines

    paper = session.console.paper
    if box is not None:
        session.console.say(box)
    session.console.say_all(text_lines(advice_lines(found), paper))
    return code


def question(session: Session, box: str | None, given: dict[str, Any]) -> tuple[Question, Known]:
    """Return what is asked, the options before what is known of the box, and the latter alone.

    Raises UserError for a box that nobody names, and where nothing is known at all, and
    ProviderError, after it was told, where only a list that cannot be read may name it.
    """
    from tui.cli.cost_facts import Known, known_of
    from tui.money.figures import Rate
    from tui.money.question import Question
    from tui.money.terms import DOCUMENTED, Terms

    if box is None and not any(value not in (None, ()) for value in given.values()):
        raise UserError(
            "nothing is known to reckon with",
            "boxtop cost BOX, or boxtop cost --price 3.48 --gb 250 --rate 0.20 --rebuild 1",
        )
    known = known_of(session, box) if box is not None else Known({})
    told = dict(known.values)
    if given.get("gb") is not None or given.get("storage") is not None:
        told.pop("stopped", None)
    values = {**told, **{name: value for name, value in given.items() if value not in (None, ())}}
    for name in ("price", "stopped"):
        if isinstance(values.get(name), float):
            values[name] = Rate(values[name], "user")
    terms = DOCUMENTED.get(given.get("provider") or "")
    values["terms"] = terms or values.get("terms") or Terms()
    return Question(**{**values, "box": box}), known


def text_lines(lines: Iterator[Line], paper: Paper) -> Iterator[str]:
    """Yield an advice's lines, as wide as the paper is, each below its heading."""
    from tui.report.lines import Span, pad
    from tui.text import one_line

    indent = " " * _HEADING
    for line in lines:
        first = pad(line.heading, _HEADING)
        text = one_line(line.text, 2000)
        yield from paper.flow([Span(text, _STYLES[line.tone])], first, indent)
