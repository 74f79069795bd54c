"""The options that every verb understands, before or after its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tui.cli.session import Session
from tui.errors import UserError


def _keep(context: click.Context, parameter: click.Parameter, value: object) -> None:
    """Note an option that was given in the session of this call."""
    if value not in (None, False) and parameter.name is not None:
        setattr(context.ensure_object(Session), parameter.name, value)


def _debug(context: click.Context, _: click.Parameter, value: str | None) -> None:
    """Send tracebacks to a file from now on."""
    if value is None:
        return
    from tui.config.paths import data_directory
    from tui.debug import write_faults_to

    data = data_directory(context.ensure_object(Session).data_dir)
    target = (Path(value) if value else data / "debug.log").absolute()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"--debug: {target.parent}: {error.strerror or error}") from None
    write_faults_to(target)


def _flag(name: str, help_text: str, hidden: bool) -> click.Option:
    return click.Option(
        [name], is_flag=True, callback=_keep, expose_value=False, hidden=hidden, help=help_text
    )


def global_options(*, hidden: bool) -> list[click.Parameter]:
    """Return the global options; verbs hide them, `boxtop --help` shows them."""
    return [
        click.Option(
            ["--config"],
            metavar="FILE",
            callback=_keep,
            expose_value=False,
            hidden=hidden,
            help="Read this file instead of boxtop.toml.",
        ),
        click.Option(
            ["--data-dir"],
            metavar="DIR",
            callback=_keep,
            is_eager=True,
            expose_value=False,
            hidden=hidden,
            help="Keep mirrors below this directory.",
        ),
        _flag("--accept-new-host-key", "Trust a host key that was never seen before.", hidden),
        _flag("--read-only", "Forbid every action; only look.", hidden),
        _flag("--ascii", "Write ASCII only.", hidden),
        _flag("--no-color", "Write no colours, as NO_COLOR does.", hidden),
        _flag("--no-mouse", "Leave the mouse to the terminal.", hidden),
        click.Option(
            ["--debug"],
            metavar="[=FILE]",
            callback=_debug,
            expose_value=False,
            hidden=hidden,
            help="Write the tracebacks of boxtop's own faults to a file.",
        ),
    ]


_EVERYWHERE = global_options(hidden=True)


class Verb(click.Command):
    """A verb of boxtop: a command that understands the global options, too.

    Its callback returns the exit code.
    """

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The verb's own parameters, then the global ones."""
        return [*super().get_params(ctx), *_EVERYWHERE]


def targets_argument(*, required: bool = False, many: bool = True) -> click.Argument:
    """Return the TARGET argument with its completion."""
    return click.Argument(
        ["targets" if many else "target"],
        metavar="[TARGET]..." if many else "TARGET[:RUN]",
        nargs=-1 if many else 1,
        required=required,
        shell_complete=_complete_target,
    )


def complete_mirror(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[Any]:
    """Complete the names of mirrored boxes, and after a slash the runs of one."""
    from click.shell_completion import CompletionItem

    from tui.cli.mirror_choice import mirror_ids
    from tui.cli.mirror_list import known_mirrors

    try:
        mirrors = known_mirrors(context.ensure_object(Session).data)
        names = [mirror.meta.name for mirror in mirrors]
        for mirror in mirrors:
            if incomplete.startswith(f"{mirror.meta.name}/"):
                names += [f"{mirror.meta.name}/{own}" for own in mirror_ids(mirror).values()]
    except OSError:
        return []
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def _complete_target(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[Any]:
    """Complete names of boxtop.toml, ~/.ssh/config and the last lists, else files."""
    from click.shell_completion import CompletionItem

    from tui.cli.listed_names import kept_names

    try:
        session = context.ensure_object(Session)
        names = session.names
        known = [*names.settings.box, *names.ssh_hosts().names, *kept_names(session)]
    except UserError:
        known = []
    found = [CompletionItem(name) for name in dict.fromkeys(known) if name.startswith(incomplete)]
    return found or [CompletionItem(incomplete, type="file")]
