"""``python -m tests.bench [NAME…] [--quick] [--json]``: measure, and print what holds."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time

from tests.bench import registry, supervisor, table
from tests.bench.figures import Figure

WHOLE_SECONDS, QUICK_SECONDS = 900.0, 240.0
"""No run takes longer; groups that find no time left say so."""


def main() -> int:
    """Measure the named groups or all; 1 when a figure does not hold, 2 for a wrong name."""
    groups = "\n".join(f"  {group.name:12} {group.about}" for group in registry.GROUPS)
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description="Measure boxtop, each figure against its baseline in the same run.",
        epilog=f"groups:\n{groups}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="a group; all without one")
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    arguments = parser.parse_args()
    try:
        chosen = registry.chosen(arguments.names)
    except ValueError as error:
        parser.error(str(error))
    figures: list[Figure] = []
    until = time.monotonic() + (QUICK_SECONDS if arguments.quick else WHOLE_SECONDS)
    for group in chosen:
        began = time.monotonic()
        sys.stderr.write(f"{group.name}: {group.about} … ")
        sys.stderr.flush()
        figures += supervisor.run(group, arguments.quick, until - began)
        sys.stderr.write(f"{time.monotonic() - began:.0f} s\n")
    if arguments.json:
        document = {"load": os.getloadavg(), "figures": [one.as_dict() for one in figures]}
        print(json.dumps(document, indent=2))
    else:
        print(table.text(figures))
        load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
        print(f"\n{os.cpu_count()} cores, load {load}")
    return 1 if any(figure.holds is False for figure in figures) else 0


if __name__ == "__main__":
    sys.exit(main())
