"""Shows the canned fleet on a real terminal: ``python -m tests.screens.canned_app``."""

from __future__ import annotations

import sys

from tests.screens.feed import CannedFeed, small_fleet
from tests.screens.recorded import NOW
from tui.app import BoxtopApp
from tui.cli.console import abandon_dead_streams
from tui.screens.options import ScreenOptions
from tui.targets import Names, parse_target
from tui.theme import terminal_colours


def main() -> int:
    """Run until it is left; ``ascii`` and ``light`` as arguments change how it looks."""
    options = ScreenOptions(
        ascii_only="ascii" in sys.argv,
        colours=terminal_colours(),
        theme="light" if "light" in sys.argv else "dark",
        parse=lambda text: parse_target(text, Names()),
    )
    app = BoxtopApp(CannedFeed(small_fleet()), options, now=lambda: NOW)
    app.run()
    abandon_dead_streams()
    return app.return_code or 0


if __name__ == "__main__":
    sys.exit(main())
