"""`boxtop alerts`: what is told and where to, a message to try it, and what was told."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from tui.cli.options import Verb, global_options
from tui.cli.session import Session
from tui.report.exit_code import NOT_CONFIRMED

if TYPE_CHECKING:
    from tui.alerts.channel import Answer
    from tui.alerts.event import Event
    from tui.config.settings import AlertSettings


@click.group(params=global_options(hidden=True), invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> int | None:
    """List the alerts, send a test, or read what was told; without a word: list."""
    if context.invoked_subcommand is None:
        return show_alerts(context.ensure_object(Session), as_json=False)
    return None


@command.command("list", cls=Verb)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.pass_obj
def list_(session: Session, as_json: bool) -> int:
    """List the kinds of alerts, which are on, and where they go to."""
    return show_alerts(session, as_json=as_json)


@command.command(cls=Verb)
@click.pass_obj
def test(session: Session) -> int:
    """Send one test message to every address, also in the quiet time.

    Exits with 6 when one of them did not take it.
    """
    from tui.alerts.channels import channels_of
    from tui.alerts.event import trial

    settings, console = session.configuration.settings.alerts, session.console
    message = trial(time.time())
    answers: list[bool] = []
    for channel in channels_of(settings.urls):
        answer = channel.send(message)
        answers.append(answer.ok)
        console.say_all([f"{channel.name}: {_said(answer)}"])
    console.say_all([f"terminal: {_by_terminal(session, settings)}"])
    if not settings.urls:
        console.tell("no address: add [alerts] urls to boxtop.toml, such as ntfy://TOPIC")
    return 0 if all(answers) else NOT_CONFIRMED


@command.command(cls=Verb)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.option("-n", "count", type=click.IntRange(1), default=20, help="The newest so many.")
@click.pass_obj
def past(session: Session, as_json: bool, count: int) -> int:
    """Read what was told while a screen or a finish line watched, the oldest first."""
    from tui.alerts.event import event_document
    from tui.alerts.store import Store

    console, events = session.console, Store(session.data).past()[-count:]
    if as_json:
        from tui.report.document import json_text

        told = [event_document(event) for event in events]
        console.say_all([json_text({"schema_version": 1, "alerts": told})])
    elif events:
        console.say_all([_past(event) for event in events])
    else:
        console.tell(f"nothing was told yet by a boxtop that keeps its data in {session.data}")
    return 0


def show_alerts(session: Session, *, as_json: bool) -> int:
    """Print what is told, and where to."""
    from tui.alerts.check import url_warnings
    from tui.alerts.urls import address_of
    from tui.alerts.words import KINDS

    settings, console = session.configuration.settings.alerts, session.console
    names = [address_of(url).name for url in dict.fromkeys(settings.urls)]
    if as_json:
        from tui.report.document import json_text

        document = {
            "schema_version": 1,
            "kinds": {kind: kind not in settings.off for kind in KINDS},
            "addresses": names,
            "desktop": settings.desktop,
            "quiet": settings.quiet,
        }
        console.say_all([json_text(document)])
    else:
        width = max(map(len, KINDS))
        for kind, meaning in KINDS.items():
            console.say(
                f"{kind:<{width}}  {'off' if kind in settings.off else 'on ':<3}  {meaning}"
            )
        console.say_all(["", *_where(settings, names)])
    for warning in url_warnings(settings.urls):
        console.tell(warning)
    return 0


def _where(settings: AlertSettings, names: list[str]) -> list[str]:
    places = ["the screen", *(["the desktop, by the terminal"] if settings.desktop else []), *names]
    lines = [f"told on {', '.join(places)}"]
    if settings.quiet is not None:
        begin, end = settings.quiet
        lines.append(f"quiet from {begin} to {end}: only the screen; a summary at {end}")
    return lines


def _past(event: Event) -> str:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(event.at))
    return f"{when}  {event.kind:<11}  {event.text}"


def _said(answer: Answer) -> str:
    return answer.text if answer.ok else f"not taken: {answer.text}"


def _by_terminal(session: Session, settings: AlertSettings) -> str:
    """Write the notification to the terminal, if this is one; it gives no answer."""
    from tui.alerts.event import trial
    from tui.alerts.terminal import notification

    if not settings.desktop:
        return "off ([alerts] desktop)"
    out = session.console.out
    sequence = notification(trial(time.time())) if out.isatty() else ""
    if not sequence:
        return "none here that could show a notification"
    out.write(sequence)
    out.flush()
    return "sent; a terminal gives no answer"
