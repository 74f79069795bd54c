"""Runs the command line: `boxtop …` or `python -m tui …`."""

from __future__ import annotations

import gc
import sys
from contextlib import suppress

from tui import __version__

_OBJECTS_BEFORE_COLLECTION = 50_000
"""Imports make objects that stay; looking for garbage among them costs a tenth of a quick verb."""


def main() -> None:
    """Answer --version before anything is imported, else run the command line and exit."""
    try:
        if sys.argv[1:] in (["--version"], ["-V"]):
            sys.stdout.write(f"boxtop {__version__}\n")
            sys.stdout.flush()
            return
        gc.set_threshold(_OBJECTS_BEFORE_COLLECTION, 20, 20)
        from tui.cli import run
        from tui.debug import keep_threads_quiet

        keep_threads_quiet()
        code = run(sys.argv[1:])
    except BrokenPipeError:
        from tui.cli.console import PIPE_CLOSED, forget_stdout

        forget_stdout()
        code = PIPE_CLOSED
    except KeyboardInterrupt:
        code = 130
    except OSError as error:
        from tui.cli.console import abandon_full_stdout

        with suppress(OSError):
            sys.stderr.write(f"boxtop: stdout: {error.strerror}\n")
        abandon_full_stdout()
        code = 1
    from tui.cli.console import abandon_dead_streams

    abandon_dead_streams()
    sys.exit(code)


if __name__ == "__main__":
    main()
