"""Drawing charts of long runs, and the screen that shows them while epochs end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from functools import partial
from unittest.mock import patch

from tests.bench.bench import Bench
from tests.bench.figures import Figure, median, noise
from tests.bench.processes import used_over
from tests.bench.run_files import PARTS, SCORES, TIMES, RunFiles, noise_row, wide_row
from tests.bench.terminal import Terminal
from tests.bench.updater import updating
from tui.boxes import Box, LocalTarget
from tui.charts import draw as drawing
from tui.charts import plots
from tui.charts.cells import Drawing
from tui.charts.model import PLAIN, Options, Plot
from tui.links.asking import RefusingAsker
from tui.runs.metrics import Metrics
from tui.watch import Fleet

EPOCHS = 5_000
SIZE = (100, 25)
CHARTS = (("train/loss", *PARTS), SCORES)
REFRESHES = 20


def measure(bench: Bench) -> Iterator[Figure]:
    """Four charts of four series of 5,000 epochs."""
    yield from _drawn(bench)
    run = RunFiles(bench.directory / "runs" / "run1")
    run.write(EPOCHS, 20_000, wide=True)
    yield asyncio.run(_unchanged(run))
    yield _on_screen(bench, run)


def _drawn(bench: Bench) -> Iterator[Figure]:
    """CPU time, for others work on this machine, too: nothing here waits for anything."""
    metrics, noisy = Metrics(), Metrics()
    for epoch in range(1, EPOCHS + 1):
        metrics.feed(wide_row(epoch).encode())
        noisy.feed(noise_row(epoch).encode())
    times, raw, worst = [], [], []
    made: tuple[Callable[[], Plot], ...] = (
        partial(plots.loss, metrics),
        partial(plots.metrics, metrics, chosen=SCORES),
        partial(plots.rate, metrics),
        partial(plots.custom, metrics, TIMES),
    )
    _plain_plotext(metrics, CHARTS[0], epochs=50)
    for turn in range(bench.repeats(15, 5)):
        times += [_cpu(partial(_chart, make)) for make in made]
        worst.append(_cpu(partial(_chart, partial(plots.custom, noisy, TIMES))))
        if turn < 2:
            raw.append(_cpu(partial(_plain_plotext, metrics, CHARTS[turn], EPOCHS)))
    baseline = median(raw) * 1e3
    what = "a chart of 4 series, 5,000 epochs: CPU"
    yield _chart_figure(what, times, baseline, 16.0)
    yield _chart_figure("  the same of nothing but noise", worst, baseline, None)


def _chart_figure(what: str, times: list[float], raw: float, at_most: float | None) -> Figure:
    shown = median(times) * 1e3
    return Figure(what, "ms", shown, noise(times), raw, "plotext, every point", at_most)


def _cpu(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _chart(make: Callable[[], Plot]) -> None:
    drawn = drawing.draw(make(), *SIZE)
    assert len(drawn.rows) == SIZE[1]


def _plain_plotext(metrics: Metrics, names: tuple[str, ...], epochs: int) -> str:
    """The same chart as plotext draws it from all points."""
    import plotext

    plotext.terminal.limit(False, False)
    figure = plotext.figure
    figure.clear()
    figure.plot_size(*SIZE)
    for name in names:
        signal = figure.signal(
            metrics.epochs[:epochs], metrics.series(name)[:epochs], marker="braille"
        )
        signal.lines(True)
        figure.draw(signal)
    built: str = figure.build().string()
    return built


async def _unchanged(run: RunFiles) -> Figure:
    """Count the charts that the app draws while nothing happens but heartbeats."""
    from tui.app import BoxtopApp

    counted = 0
    original = drawing.draw

    def counting(plot: Plot, width: int, height: int, options: Options = PLAIN) -> Drawing:
        nonlocal counted
        counted += 1
        return original(plot, width, height, options)

    target = LocalTarget(run.directory.parent)
    fleet = Fleet([Box("here", "here", target)], RefusingAsker(), None)
    app = BoxtopApp(fleet)
    with patch.object(drawing, "draw", counting):
        async with app.run_test(size=(140, 40)) as pilot:
            while not counted or not fleet.boxes()[0].runs:
                await pilot.pause(0.05)
            await pilot.pause(3.0)
            first, counted = counted, 0
            for _ in range(REFRESHES):
                app.refresh_views()
                await pilot.pause(0.1)
            again = counted
            run.append_metrics(wide_row(EPOCHS + 1))
            await pilot.pause(1.5)
            after = counted - again
    fleet.close()
    return Figure(
        f"charts drawn in {REFRESHES} refreshes without news",
        "",
        float(again),
        at_most=0.0,
        note=f"{first} drawn until settled, {after} after one new epoch",
    )


def _on_screen(bench: Bench, run: RunFiles) -> Figure:
    """The real app on a terminal, an epoch a second, against the same app without news."""
    seconds = float(bench.repeats(20, 8))
    with Terminal([*bench.boxtop(), str(run.directory.parent)]) as terminal:
        terminal.wait_for("learning rate")
        time.sleep(4.0)
        still = used_over(terminal.pid, seconds / 2)
        with updating(1.0, [run]):
            time.sleep(1.0)
            used = used_over(terminal.pid, seconds)
    return Figure(
        "the screen, 3 charts, an epoch a second",
        "% of a core",
        used.share * 100,
        None,
        still.share * 100,
        "without news",
        at_most=10.0,
    )
