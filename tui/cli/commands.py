"""The command line as click parses it: all verbs, imported when used, and their options."""

from __future__ import annotations

import importlib
import os

import click

from tui import __version__
from tui.cli.options import global_options
from tui.cli.session import Session
from tui.errors import UserError, closest
from tui.text import one_line

VERBS = (
    *("watch", "demo", "status", "boxes", "cost", "logs", "plot", "push", "pull", "kill"),
    *("stop", "start", "destroy"),
    *("open", "alerts", "config", "completion"),
)
DEFAULT_VERB = "watch"
NAME = "boxtop"
COMPLETE_VARIABLE = "_BOXTOP_COMPLETE"


class Boxtop(click.Group):
    """All verbs; each is imported when it is used. A first word that is no verb is a target."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs in the order in which people meet them."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one verb."""
        if cmd_name not in VERBS:
            return None
        command: click.Command = importlib.import_module(f"tui.verbs.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Take a first word that is no verb as a target of the screen."""
        if args[0] in VERBS:
            return super().resolve_command(ctx, args)
        _refuse_mistyped_verb(args[0], ctx.ensure_object(Session))
        return DEFAULT_VERB, self.get_command(ctx, DEFAULT_VERB), args


def _refuse_mistyped_verb(word: str, session: Session) -> None:
    """Raise UserError for a word that is almost a verb and names nothing."""
    near = closest(word, VERBS, cutoff=0.75)
    if near is None:
        return
    from tui.cli.listed_names import kept_box
    from tui.targets import parse_target

    try:
        if kept_box(session, word) is None:
            parse_target(word, session.names)
    except UserError:
        raise UserError(
            f"{one_line(word)!r} is no verb and no target", f"did you mean `boxtop {near}`?"
        ) from None


@click.group(
    cls=Boxtop,
    params=global_options(hidden=False),
    invoke_without_command=True,
    no_args_is_help=False,
    subcommand_metavar="[VERB] [TARGET...]",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 90},
    epilog="A target is a box of boxtop.toml, a host of ~/.ssh/config, user@host:port, a whole "
    "ssh line in quotes, a directory, or a recording.jsonl. TARGET:RUN names one run.",
)
@click.version_option(__version__, "-V", "--version", message="boxtop %(version)s")
@click.pass_context
def root(context: click.Context) -> int | None:
    """Watch LibreYOLO training on rented GPUs: every box, every run, over SSH.

    Without a verb it shows the screen: all boxes of boxtop.toml, or the TARGETs.
    """
    if context.invoked_subcommand is not None:
        return None
    verb = root.get_command(context, DEFAULT_VERB)
    assert verb is not None
    with verb.make_context(DEFAULT_VERB, [], parent=context) as inner:
        code: int = verb.invoke(inner)
        return code


def invoke(words: list[str]) -> int:
    """Run a verb and return its exit code, or answer a shell that completes.

    Not by click's own ``main``, which prints and exits by itself. Raises UserError for a mistake
    in the words, KeyboardInterrupt when a person gave up.
    """
    instruction = os.environ.get(COMPLETE_VARIABLE)
    if instruction:
        from click.shell_completion import shell_complete

        return shell_complete(root, {"obj": Session()}, NAME, COMPLETE_VARIABLE, instruction)
    if words[:1] == ["help"]:
        words = [*words[1:2], "--help"]
    try:
        with root.make_context(NAME, words, obj=Session()) as context:
            code = root.invoke(context)
    except click.exceptions.Exit as wish:
        return wish.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        place = getattr(error, "ctx", None)
        hint = f"`{place.command_path} --help` tells more" if place is not None else None
        raise UserError(error.format_message(), hint) from None
    return code if isinstance(code, int) else 0
