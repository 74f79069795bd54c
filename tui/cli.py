"""The command line: finds the verb, runs it, and turns every error into one line."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

import click

from tui import __version__
from tui.console import PIPE_CLOSED, Console, forget_stdout, prepare_streams
from tui.errors import UserError, closest
from tui.options import global_options
from tui.report.exit_code import BOX_NOT_READ, INTERRUPTED, UNEXPECTED, USAGE
from tui.session import Session
from tui.text import one_line, redact

VERBS = ("watch", "demo", "status", "boxes", "logs", "plot", "open", "config", "completion")
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
    from tui.targets import parse_target

    try:
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


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code; no exception leaves it."""
    prepare_streams()
    try:
        code = _invoke(join_ssh_words(list(arguments)))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        forget_stdout()
        return PIPE_CLOSED
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except click.ClickException as error:
        return _usage(error)
    except UserError as error:
        Console().tell_error(error)
        return USAGE
    except Exception as error:  # noqa: BLE001 - the one place where a fault becomes a line
        return _fault(error)


def _invoke(words: list[str]) -> int:
    """Run a verb, or answer a shell that completes; not by ``main``, which exits by itself."""
    instruction = os.environ.get(COMPLETE_VARIABLE)
    if instruction:
        from click.shell_completion import shell_complete

        return shell_complete(root, {"obj": Session()}, NAME, COMPLETE_VARIABLE, instruction)
    try:
        with root.make_context(NAME, words, obj=Session()) as context:
            code = root.invoke(context)
    except click.exceptions.Exit as wish:
        return wish.exit_code
    return code if isinstance(code, int) else 0


def join_ssh_words(arguments: list[str]) -> list[str]:
    """Join a pasted ssh line that came without quotes into one target.

    ``boxtop status ssh -p 41022 root@203.0.113.7 --json``: ssh has no long options, so those stay
    boxtop's own.
    """
    words = [("--debug=" if word == "--debug" else word) for word in arguments]
    at = words.index("ssh") if "ssh" in words else len(words)
    own = [word for word in words[at + 1 :] if word.startswith("--") and word != "--"]
    line = [word for word in words[at:] if word not in own]
    if len(line) < 2:
        return words
    import shlex

    return [*words[:at], *own, shlex.join(line)]


def _usage(error: click.ClickException) -> int:
    console = Console()
    console.tell(error.format_message())
    context = getattr(error, "ctx", None)
    if context is not None:
        console.err.write(f"  `{context.command_path} --help` tells more\n")
    return USAGE


def _fault(error: Exception) -> int:
    """Tell an error that nobody foresaw in one line; the traceback goes to the file of --debug."""
    from tui.debug import fault_file, record_fault
    from tui.links.base import LinkError

    console = Console()
    if isinstance(error, LinkError):
        console.tell_error(UserError(str(error), error.hint))
        return BOX_NOT_READ
    console.tell(f"unexpected {type(error).__name__}: {one_line(redact(str(error)))}")
    target = fault_file()
    if target is None:
        console.err.write("  run it again with --debug: the traceback then goes to a file\n")
        return UNEXPECTED
    try:
        record_fault(error)
        console.err.write(f"  the traceback is in {target}\n")
    except OSError as problem:
        console.err.write(f"  and {target} cannot be written: {problem.strerror}\n")
    return UNEXPECTED
