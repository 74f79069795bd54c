"""Measures one group in a process of its own: ``python -m tests.bench.worker NAME DIRECTORY``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tests.bench import registry
from tests.bench.bench import Bench
from tests.bench.processes import adopt_orphans, end_descendants


def main() -> None:
    """Write each figure as a line of JSON as soon as it is known."""
    parser = argparse.ArgumentParser()
    parser.add_argument("name")
    parser.add_argument("directory", type=Path)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    (group,) = registry.chosen([arguments.name])
    bench = Bench(arguments.directory, arguments.quick)
    bench.shield()
    adopt_orphans()
    try:
        for figure in group.load()(bench):
            sys.stdout.write(json.dumps(figure.as_dict()) + "\n")
            sys.stdout.flush()
    finally:
        end_descendants()


if __name__ == "__main__":
    main()
