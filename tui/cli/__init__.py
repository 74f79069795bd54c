"""What boxtop was called with: finds who answers, and turns every error into one line."""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence

from tui.cli.console import (
    PIPE_CLOSED,
    Console,
    abandon_full_stdout,
    forget_stdout,
    prepare_streams,
)
from tui.cli.quick import quick_answer
from tui.errors import UserError
from tui.report.exit_code import BOX_NOT_READ, INTERRUPTED, NOT_CONFIRMED, UNEXPECTED, USAGE
from tui.text import one_line, redact


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code; no exception leaves it."""
    prepare_streams()
    try:
        code = _answer(join_ssh_words(list(arguments)))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        forget_stdout()
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except UserError as error:
        Console().tell_error(error)
        return USAGE
    except Exception as error:  # noqa: BLE001 - the one place where a fault becomes a line
        return _fault(error)


def _answer(words: list[str]) -> int:
    """Run a verb."""
    code = quick_answer(words)
    if code is not None:
        return code
    from tui.cli.commands import invoke

    return invoke(words)


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


_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


def _fault(error: Exception) -> int:
    """Tell an error that nobody foresaw in one line; the traceback goes to the file of --debug."""
    from tui.debug import fault_file, record_fault
    from tui.links.base import LinkError
    from tui.providers.errors import ProviderError

    abandon_full_stdout()
    console = Console()
    if isinstance(error, ProviderError):
        console.tell_error(UserError(str(error), error.hint))
        return NOT_CONFIRMED
    if isinstance(error, LinkError):
        console.tell_error(UserError(str(error), error.hint))
        return BOX_NOT_READ
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        console.tell(f"the output cannot be written: {error.strerror}")
        return UNEXPECTED
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
