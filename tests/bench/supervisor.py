"""Runs each group in its own process, within its time, and leaves nothing behind."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.bench import CHECKOUT
from tests.bench.figures import Figure
from tests.bench.processes import adopt_orphans, end_descendants
from tests.bench.registry import Group

FIELDS = {field.name for field in dataclasses.fields(Figure)}


def run(group: Group, quick: bool, left: float) -> list[Figure]:
    """Measure one group within its time and what is ``left`` in seconds of the whole.

    What could not be measured is a figure that says why.
    """
    if left <= 0:
        return [Figure(group.name, failure="no time was left")]
    adopt_orphans()
    directory = Path(tempfile.mkdtemp(prefix="btb"))
    directory.chmod(0o755)
    limit = min(left, group.quick_seconds if quick else group.seconds)
    command = [sys.executable, "-m", "tests.bench.worker", group.name, str(directory)]
    with (directory / "stderr").open("wb") as errors, (directory / "figures").open("wb") as out:
        worker = subprocess.Popen(
            [*command, "--quick"] if quick else command,
            cwd=CHECKOUT,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=errors,
            start_new_session=True,
        )
        try:
            failure = "" if worker.wait(limit) == 0 else "failed"
        except subprocess.TimeoutExpired:
            failure = f"not done within {limit:.0f} s"
        finally:
            worker.poll()
            end_descendants()
    figures = [_figure(line) for line in (directory / "figures").read_text().splitlines()]
    if failure:
        told = (directory / "stderr").read_text(errors="replace").strip().splitlines()
        reason = f"{failure}: {told[-1]}" if told else failure
        figures.append(Figure(group.name, failure=reason))
        if os.environ.get("BENCH_TRACE"):
            sys.stderr.write("\n".join(told) + "\n")
    shutil.rmtree(directory, ignore_errors=True)
    return figures


def _figure(line: str) -> Figure:
    values = json.loads(line)
    return Figure(**{name: value for name, value in values.items() if name in FIELDS})
