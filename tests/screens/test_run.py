"""One run: its facts, charts, trouble, and the way there and back."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from tests.screens.feed import GIB, LIVE, CannedFeed, failed, gpu, running, small_fleet
from tests.screens.recorded import metrics_of
from tests.screens.watching import NARROW, Watch, watching
from tui.facts import Disk
from tui.runs.model import Cost, Diagnosis, RunError
from tui.screens.fleet import FleetScreen
from tui.screens.run import RunScreen
from tui.view import BoxView
from tui.widgets.chart import ChartPanel


def alone() -> CannedFeed:
    """A fleet of one running run."""
    return CannedFeed([replace(small_fleet()[0], runs=(running().view,))])


async def test_enter_opens_the_selected_run_and_escape_goes_back() -> None:
    async with watching(size=NARROW) as watch:
        await watch.press("enter")
        assert isinstance(watch.app.screen, RunScreen)
        assert "lambda-a10 / coco-9m" in watch.lines[1]
        await watch.press("escape")
        assert isinstance(watch.app.screen, FleetScreen)


async def test_charts_show_losses_metrics_and_rate_with_the_best_epoch() -> None:
    async with watching(alone(), (140, 44)) as watch:
        assert "● total" in watch.line("2 loss")
        assert "▲ cls" in watch.line("2 loss")
        assert "● 50-95" in watch.line("3 mAP")
        assert "4 learning rate" in watch.text
        assert "◆ best 0.509 @ 54" in watch.text
        assert any("⠁" <= character <= "⣿" for character in watch.text)


async def test_facts_of_run_and_box_stand_beside_the_log() -> None:
    async with watching(alone(), (140, 44)) as watch:
        assert "51 s an epoch" in watch.line("pace")
        assert "21743 alive" in watch.line("pid ")
        assert "97%  17G/24G  64°C 398W" in watch.line("gpu 0")
        assert "131G free" in watch.line("disk  ")
        assert "33.3 MB  not saved" in watch.line("best.pt")
        assert "3 more  0 saved" in watch.line("weights ")


async def test_the_error_of_the_status_stands_before_what_a_log_may_tell() -> None:
    feed = alone()
    (box,) = feed.views
    (view,) = box.runs
    diagnosis = Diagnosis("exception", "KeyError: 'onnx'", None, ("KeyError: 'onnx'",), "/x.log")
    error = RunError("ValueError", "bad anchors")
    run = msgspec.structs.replace(view.run, verdict="failed", error=error, diagnosis=diagnosis)
    feed.views = [replace(box, runs=(replace(view, run=run),))]
    async with watching(feed, (140, 44)) as watch:
        text = watch.text
        assert text.index("ValueError: bad anchors") < text.index("KeyError: 'onnx'")


async def test_a_failed_run_explains_itself_above_its_charts() -> None:
    async with watching(size=(120, 50)) as watch:
        assert "GPU out of memory (wanted 1.50 GiB" in watch.text
        assert "next: use batch=-1" in watch.text
        assert "Traceback (most recent call last):" in watch.text
        assert "from /root/train.log" in watch.text


async def test_a_run_without_epochs_says_so() -> None:
    base = running().view
    empty = msgspec.structs.replace(base.run, epoch=0, progress=0.0, best=None)
    view = replace(base, run=empty, metrics=metrics_of([]))
    async with watching(CannedFeed([BoxView("a", "a", LIVE, (view,))]), (140, 44)) as watch:
        assert watch.text.count("no epochs yet") == 3


async def test_numbers_go_to_panels() -> None:
    async with watching(alone(), (140, 44)) as watch:
        for key, name in (("2", "loss"), ("3", "metrics"), ("4", "rate"), ("5", "log")):
            await watch.press(key)
            assert watch.app.focused is not None
            assert watch.app.focused.id == name
        await watch.press("1")
        assert watch.app.focused is not None
        assert watch.app.focused.id == "runs"


async def test_tab_goes_around_the_panels() -> None:
    async with watching(alone(), (140, 44)) as watch:
        seen = []
        for _ in range(5):
            await watch.press("tab")
            seen.append(watch.app.focused.id if watch.app.focused else None)
        assert seen == ["loss", "metrics", "rate", "log", "runs"]
        await watch.press("shift+tab")
        assert watch.app.focused is not None
        assert watch.app.focused.id == "log"


async def test_a_number_opens_the_run_where_panels_do_not_fit() -> None:
    async with watching(alone(), NARROW) as watch:
        await watch.press("4")
        assert isinstance(watch.app.screen, RunScreen)
        assert "4 learning rate" in watch.text


async def test_zoom_gives_a_panel_the_whole_screen_and_back() -> None:
    async with watching(alone(), (140, 44)) as watch:
        await watch.press("2", "z")
        assert "2 loss" in watch.text
        assert "5 log" not in watch.text
        assert "1 runs" not in watch.text
        await watch.press("escape")
        assert "5 log" in watch.text
        assert "1 runs" in watch.text


async def test_smoothing_and_scales_are_named_on_the_chart() -> None:
    async with watching(alone(), (140, 44)) as watch:
        await watch.press("2", "+", "+", "l")
        assert "smooth 0.6 log" in watch.text
        await watch.press("0", "l")
        assert "smooth" not in watch.line("best 0.509")


async def test_charts_by_time_have_a_time_axis() -> None:
    async with watching(alone(), (140, 44)) as watch:
        await watch.press("x")
        assert "20m" in watch.text
        await watch.press("x")
        assert "20m" not in watch.text


async def test_metrics_are_chosen_from_a_list() -> None:
    async with watching(alone(), (140, 44)) as watch:
        await watch.press("m")
        assert "metrics (up to 6)" in watch.text
        await watch.press("space", "enter")
        assert "■ mAP50-95" in watch.line("3 metrics")
        assert "● precision" in watch.line("3 metrics")
        await watch.press("m", "escape")
        assert "● precision" in watch.line("3 metrics")


async def test_a_chart_is_drawn_once_for_the_same_data() -> None:
    async with watching(alone(), (140, 44)) as watch:
        chart = watch.app.screen.query_one("#loss", ChartPanel)
        drawn = chart.drawing()
        await watch.settle()
        assert chart.drawing() is drawn
        await watch.press("+")
        assert chart.drawing() is not drawn


async def test_a_run_stays_open_when_its_box_goes_away() -> None:
    feed = alone()
    async with watching(feed, NARROW) as watch:
        await watch.press("enter")
        feed.views = []
        await watch.settle()
        assert "coco-9t" in watch.lines[0]


async def test_a_diverged_or_warned_run_shows_its_warnings() -> None:
    base = running().view
    run = msgspec.structs.replace(
        base.run, verdict="diverged", reason="loss not finite", warnings=("disk full soon",)
    )
    view = BoxView("a", "a", LIVE, (replace(base, run=run),))
    async with watching(CannedFeed([view]), (120, 44)) as watch:
        assert "≈ diverged" in watch.text
        assert "▲ disk full soon" in watch.text


async def test_old_runs_tell_of_the_live_one_beside_them() -> None:
    base = failed().view
    live = running().view
    beside = replace(live, run=msgspec.structs.replace(live.run, id="coco-9m2"))
    async with watching(CannedFeed([BoxView("a", "a", LIVE, (base, beside))])) as watch:
        await open_run(watch, "coco-9m")
        assert "coco-9t is live" in watch.text


async def open_run(watch: Watch, run_id: str) -> None:
    """Open a run of the fleet by its name."""
    for row in watch.app.boxes[0].runs:
        if row.run.id == run_id:
            watch.app.open_run((watch.app.boxes[0].name, row.run.path))
    await watch.pilot.pause()


async def test_money_and_unsaved_weights_are_seen_before_the_second_of_eight_gpus() -> None:
    box = small_fleet()[0]
    run = box.runs[0]
    cost = Cost(so_far=1.2345, to_finish=0.5678, wasted=None, per_epoch=0.0123)
    paid = replace(run, run=msgspec.structs.replace(run.run, cost=cost))
    gpus = tuple(gpu(number, "RTX 4090", 97, 17, 24) for number in range(8))
    feed = CannedFeed([replace(box, runs=(paid,), gpus=gpus)])
    for size in ((120, 40), (80, 24)):
        async with watching(feed, size, charts=False) as watch:
            await watch.press("enter")
            for words in ("$1.23 so far, $0.57 to go", "best.pt", "not saved", "gpu 0"):
                assert words in watch.text, size


async def test_when_the_disk_is_full_is_never_cut() -> None:
    box = small_fleet()[0]
    view = replace(box.runs[0], disk=Disk("/", free=131 * GIB, total=250 * GIB))
    feed = CannedFeed([replace(box, runs=(replace(view, disk_full_in_s=7200.0),))])
    async with watching(feed, charts=False) as watch:
        assert "131G, full in 2 h" in watch.line("disk ")


async def test_a_narrow_title_has_the_whole_state_and_epoch() -> None:
    async with watching(size=(40, 12), charts=False) as watch:
        await watch.press("j", "j", "j", "enter")
        assert "/coco-9t  ● running  epoch 61/100" in watch.text


async def test_what_to_do_about_a_failed_run_is_read_whole_in_a_narrow_pane() -> None:
    async with watching(size=(40, 12), charts=False) as watch:
        await watch.press("enter")
        told = " ".join(" ".join(line.strip(" ▌") for line in watch.lines).split())
        assert "next: use batch=-1 (automatic) or a smaller batch or imgsz" in told
