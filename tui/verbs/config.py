"""`boxtop config`: the configuration file, its place, and whether it is right."""

from __future__ import annotations

import click

from tui.cli.options import Verb, global_options
from tui.cli.session import Session
from tui.errors import UserError
from tui.report.exit_code import USAGE


@click.group(params=global_options(hidden=True), invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> int | None:
    """Write, show or check boxtop.toml; without a word: show."""
    if context.invoked_subcommand is None:
        return show_settings(context.ensure_object(Session), as_json=False)
    return None


@command.command(cls=Verb)
@click.pass_obj
def init(session: Session) -> int:
    """Write a boxtop.toml with comments; an existing one stays as it is."""
    from tui.config.paths import config_path
    from tui.config.sample import write_sample

    path, _ = config_path(session.config)
    write_sample(path)
    session.console.say_all([str(path)])
    return 0


@command.command(cls=Verb)
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.pass_obj
def show(session: Session, as_json: bool) -> int:
    """Print all settings as they are in force, without secrets."""
    return show_settings(session, as_json=as_json)


@command.command(cls=Verb)
@click.pass_obj
def path(session: Session) -> int:
    """Print where boxtop.toml is looked for."""
    from tui.config.paths import config_path

    session.console.say_all([str(config_path(session.config)[0])])
    return 0


@command.command(cls=Verb)
@click.pass_obj
def check(session: Session) -> int:
    """Check boxtop.toml and list its boxes; every mistake is told with its line."""
    from tui.fleet import join_boxes
    from tui.targets.instances import awaits_address
    from tui.verbs.boxes import box_lines

    configuration = session.configuration
    boxes = join_boxes([], session.names)
    faults = [box for box in boxes if box.fault is not None and not awaits_address(box)]
    if not configuration.exists:
        session.console.tell(f"{configuration.path} does not exist: everything has its default")
    elif not faults:
        session.console.say(f"{configuration.path} is right")
    session.console.say_all(box_lines(boxes, session))
    if configuration.settings.alerts.urls:
        from tui.alerts.check import url_warnings

        for warning in url_warnings(configuration.settings.alerts.urls):
            session.console.tell(warning)
    for box in faults:
        session.console.tell_error(UserError(box.fault or "", box.hint))
    return USAGE if faults else 0


def show_settings(session: Session, *, as_json: bool) -> int:
    """Print the settings that are in force."""
    from tui.config.show import settings_toml, shown_settings
    from tui.report.document import json_text

    settings = session.configuration.settings
    if as_json:
        document = {"schema_version": 1, "settings": shown_settings(settings)}
        session.console.say_all([json_text(document)])
        return 0
    where = session.configuration.path
    state = "from" if session.configuration.exists else "defaults; there is no"
    session.console.say(f"# {state} {where}")
    session.console.say_all([settings_toml(settings).rstrip()])
    return 0
