"""What a group is given: how thorough to be, a directory of its own, and a shielded world."""

from __future__ import annotations

import compileall
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.bench.figures import Figure
from tests.shield import hidden_names, shielded_environment

CHECKOUT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Bench:
    """One run of one group. ``directory`` is empty at first and removed afterwards."""

    directory: Path
    quick: bool = False

    @property
    def home(self) -> Path:
        """The HOME of everything that is measured."""
        return self.directory / "home"

    def repeats(self, full: int, quick: int) -> int:
        """How often to measure."""
        return quick if self.quick else full

    def shield(self) -> None:
        """Hide the user's own world from this process and all that it starts.

        Python's own switches go, too: with PYTHONDONTWRITEBYTECODE every start would compile
        boxtop anew, which no installed boxtop does.
        """
        self.home.mkdir(mode=0o700)
        for name in [*hidden_names(), *(name for name in os.environ if name.startswith("PYTHON"))]:
            os.environ.pop(name, None)
        for package in ("tui", "tests"):
            compileall.compile_dir(CHECKOUT / package, quiet=2)
        os.environ.update(shielded_environment(self.home))
        os.environ["PYTHONPATH"] = str(CHECKOUT)

    def boxtop(self) -> list[str]:
        """The command ``boxtop`` of this checkout, as an installed entry point starts it."""
        script = self.directory / "bin" / "boxtop"
        if not script.exists():
            script.parent.mkdir()
            script.write_text(ENTRY_POINT.format(python=sys.executable))
            script.chmod(0o755)
        return [str(script)]


Measure = Callable[[Bench], Iterator[Figure]]

ENTRY_POINT = """\
#!{python}
import sys
from tui.__main__ import main
if __name__ == '__main__':
    sys.exit(main())
"""
"""What pip writes for ``boxtop = "tui.__main__:main"``."""
