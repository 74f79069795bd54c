"""The list of boxes and runs: what it shows, in which order, and that it holds still."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from tests.screens.feed import LIVE, CannedFeed, running, small_fleet
from tests.screens.watching import NARROW, watching
from tui.screens.fleet import FleetScreen
from tui.view import BoxView, LinkView, RunView
from tui.widgets.runs_table import RunsTable


def view(box: str, *ids: str, **changes: object) -> BoxView:
    """A box with runs that differ by name."""
    base = running().view
    runs = tuple(
        replace(base, run=msgspec.structs.replace(base.run, id=i, path=f"/runs/{i}", **changes))
        for i in ids
    )
    return BoxView(box, box, LIVE, runs)


async def test_what_needs_a_person_stands_first() -> None:
    async with watching(size=NARROW) as watch:
        assert [row.split()[1] for row in watch.listed[:4]] == [
            *("failed", "dead", "refused", "running")
        ]
        assert "completed" in watch.listed[-1]


async def test_a_row_tells_verdict_epoch_eta_and_best() -> None:
    async with watching(size=NARROW) as watch:
        row = watch.line("vast-4090 / coco-9t")
        assert "● running" in row
        assert "61/100" in row
        assert "38:42" in row
        assert "0.509" in row


async def test_the_header_counts_and_never_shows_an_unknown_price_as_free() -> None:
    async with watching() as watch:
        head = watch.lines[0]
        assert "8 boxes" in head
        assert "3 need a person" in head
        assert "2 unreachable" in head
        assert "$8.87/h + 2 unknown" in head


UNTIMED = {"eta_s": None, "eta_text": "-"}


async def test_a_run_that_trains_is_told_though_nobody_knows_for_how_long() -> None:
    async with watching(CannedFeed([view("lab", "a", **UNTIMED)]), charts=False) as watch:
        assert "✓ all well  lab / a is running" in watch.lines[1]
    stale = replace(view("lab", "a", **UNTIMED), link=LinkView("stale", 31.0))
    async with watching(CannedFeed([stale]), charts=False) as watch:
        assert "lab / a was running when it was last seen" in watch.lines[1]


async def test_all_is_not_well_while_a_box_that_trained_does_not_answer_whatever_it_costs() -> None:
    away = replace(view("lab", "a"), link=LinkView("offline", 734.0))
    async with watching(CannedFeed([away, view("desk", "b")]), charts=False) as watch:
        assert "▲ lab is not reached for 12 min: a was at work" in watch.lines[1]
        assert "desk / b is done next" in watch.lines[1]


AWAY = LinkView("offline", 8.0, "root@203.0.113.9:22 answered, but not as SSH", "check the port")


async def test_where_no_box_is_reached_it_says_why_and_not_that_nothing_trains() -> None:
    feed = CannedFeed([BoxView("lab", "root@203.0.113.9", AWAY)])
    async with watching(feed, (40, 12), charts=False) as watch:
        told = " ".join(" ".join(watch.lines[1:3]).split())
        assert told.startswith("▲ lab is not reached: root@203.0.113.9:22 answered")
        await watch.press("enter")
        await watch.settle()
        told = " ".join(" ".join(line.strip(" ▌") for line in watch.lines).split())
        assert "root@203.0.113.9:22 answered, but not as SSH next: check the port" in told


async def test_a_message_has_as_many_rows_as_it_needs_while_it_is_shown() -> None:
    async with watching(size=(40, 12), charts=False) as watch:
        await watch.press("D")
        assert watch.lines[-2].strip() == "nothing to destroy: no provider is"
        assert watch.lines[-1].strip() == "known ([providers] in boxtop.toml)"
        await watch.resize((120, 40))
        assert "is known ([providers] in boxtop.toml)" in watch.lines[-1]
        await watch.resize((40, 12))
        watch.app.hush()
        await watch.settle()
        assert "? help" in watch.lines[-1]
        assert "[providers]" not in watch.text


async def test_the_headline_is_the_newest_trouble_and_what_to_do() -> None:
    async with watching(size=(160, 40)) as watch:
        assert "lambda-a10 / coco-9m failed 13 min ago; idle 12m = $0.16: GPU" in watch.lines[1]
        assert "use batch=-1" in watch.lines[1]


async def test_a_well_fleet_is_told_what_ends_next() -> None:
    async with watching(CannedFeed([view("a", "one", "two")])) as watch:
        assert "all well" in watch.lines[1]
        assert "done next, in 38:42" in watch.lines[1]


async def test_boxes_that_do_not_answer_say_why_in_their_row() -> None:
    async with watching() as watch:
        assert "no answer within 10 s" in watch.line("offline")
        assert "next try in 24s" in watch.line("offline")
        assert "the host key of [203.0.113.12]:41999 has changed" in watch.line("refused")
        assert "no run yet below /root/runs, /workspace/runs" in watch.line("no runs")


async def test_data_of_a_silent_box_is_faint_and_says_its_age() -> None:
    async with watching() as watch:
        assert "31s" in watch.line("lab / pallets-t")
        table = watch.app.screen.query_one(RunsTable)
        y = next(i for i, line in enumerate(watch.lines) if "pallets-t" in line)
        faint = watch.app.palette.style("faint").color
        colours = {
            segment.style.color
            for segment in table.render_line(y - table.region.y)
            if segment.style and "running" in segment.text
        }
        assert colours == {faint}


async def test_the_selection_stays_with_its_run_through_news_and_new_order() -> None:
    feed = CannedFeed([view("a", "one", "two"), view("b", "three")])
    async with watching(feed) as watch:
        table = watch.app.screen.query_one(RunsTable)
        await watch.press("j")
        chosen = table.selected
        assert chosen is not None
        feed.views = [view("b", "three", "four", "five"), *reversed(feed.views)]
        feed.views = [feed.views[0], view("a", "zero", "two", "one")]
        await watch.settle()
        assert table.selected == chosen
        await watch.press("s")
        assert table.selected == chosen
        assert "▌" in next(line for line in watch.lines if f"/ {chosen[1][6:]} " in line)


async def test_a_run_that_is_gone_gives_the_selection_to_its_neighbour() -> None:
    feed = CannedFeed([view("a", "one", "two", "three")])
    async with watching(feed) as watch:
        await watch.press("j")
        feed.views = [view("a", "one", "three")]
        await watch.settle()
        row = watch.app.screen.query_one(RunsTable).selected_row
        assert row is not None and row.run is not None
        assert row.run.run.id == "three"


async def test_the_filter_shows_what_matches_and_escape_ends_it() -> None:
    async with watching() as watch:
        await watch.press("slash")
        await watch.type("coco")
        assert "runs 3 of 12" in watch.text
        assert "drones-s" not in "\n".join(watch.lines[2:8])
        await watch.press("enter")
        assert "/coco" in watch.line("runs 3 of 12")
        await watch.press("escape")
        assert "runs 12" in watch.text


async def test_a_cancelled_filter_shows_everything_again() -> None:
    async with watching() as watch:
        await watch.press("slash")
        await watch.type("nothing like this")
        assert "runs 0 of 12" in watch.text
        await watch.press("escape")
        assert "runs 12" in watch.text


async def test_sorting_goes_through_the_orders_and_can_be_turned() -> None:
    async with watching(CannedFeed([view("b", "two"), view("a", "one")])) as watch:
        await watch.press("s")
        assert "by name" in watch.line("runs 2")
        assert ["a / one" in row for row in watch.listed] == [True, False]
        await watch.press("I")
        assert "by name reversed" in watch.line("runs 2")
        assert ["a / one" in row for row in watch.listed] == [False, True]


async def test_nothing_is_drawn_while_nothing_changes() -> None:
    async with watching(CannedFeed([view("a", "one", "two")])) as watch:
        drawn: list[int] = []
        table = watch.app.screen.query_one(RunsTable)
        before = table.render_line
        table.render_line = lambda y: (drawn.append(y), before(y))[1]  # type: ignore[method-assign, func-returns-value]  # counts
        await watch.settle()
        await watch.settle()
        assert drawn == []


async def test_only_the_row_that_changed_is_drawn() -> None:
    feed = CannedFeed([view("a", "one", "two", "three", age_s=1.0)])
    async with watching(feed) as watch:
        table = watch.app.screen.query_one(RunsTable)
        drawn: list[int] = []
        before = table.render_line
        table.render_line = lambda y: (drawn.append(y), before(y))[1]  # type: ignore[method-assign, func-returns-value]  # counts
        runs = list(feed.views[0].runs)
        runs[1] = replace(runs[1], run=msgspec.structs.replace(runs[1].run, age_s=99.0))
        feed.views = [replace(feed.views[0], runs=tuple(runs))]
        await watch.settle()
        assert len(set(drawn)) == 1


async def test_wide_screens_show_the_selected_run_beneath_the_list() -> None:
    async with watching(size=(100, 30)) as watch:
        await watch.press("j", "j", "j")
        assert "2 loss" in watch.text
        assert "5 log" in watch.text
        await watch.resize((99, 30))
        assert "2 loss" not in watch.text


async def test_moving_through_the_list_changes_the_run_beneath_it() -> None:
    async with watching() as watch:
        await watch.press("j", "j", "j")
        assert "epoch 61/100" in watch.text
        await watch.press("k", "k")
        assert "DEAD (was running, epoch 5/30)" in watch.text


async def test_news_reaches_the_screen_by_itself() -> None:
    feed = CannedFeed([view("a", "one")])
    async with watching(feed) as watch:
        feed.put(view("a", "one", "brand-new"))
        await watch.until(lambda: "brand-new" in watch.text)


async def test_many_news_are_one_repaint() -> None:
    feed = CannedFeed([view("a", "one")])
    async with watching(feed) as watch:
        before = feed.reads
        for _ in range(500):
            feed.publish("a")
        await watch.pilot.pause(0.3)
        assert feed.reads - before <= 4


async def test_a_paused_screen_holds_still_and_says_so() -> None:
    feed = CannedFeed([view("a", "one")])
    async with watching(feed) as watch:
        await watch.press("p")
        feed.views = [view("a", "one", "brand-new")]
        await watch.settle()
        assert "PAUSED" in watch.lines[0]
        assert "brand-new" not in watch.text
        await watch.press("p")
        assert "brand-new" in watch.text


async def test_a_box_is_connected_anew_by_key() -> None:
    async with watching() as watch:
        await watch.press("r")
        assert watch.feed.reconnected == ["lambda-a10"]
        assert "connecting lambda-a10 anew" in watch.text


async def test_escape_never_quits() -> None:
    async with watching() as watch:
        await watch.press(*["escape"] * 5)
        assert watch.app.is_running
        assert isinstance(watch.app.screen, FleetScreen)


async def test_q_quits() -> None:
    async with watching() as watch:
        await watch.press("q")
        await watch.until(lambda: not watch.app.is_running)


async def test_a_hundred_boxes_scroll() -> None:
    feed = CannedFeed([view(f"box{i:03}", f"run{i:03}") for i in range(100)])
    async with watching(feed, NARROW) as watch:
        await watch.press("G")
        assert "run099" in watch.text
        await watch.press("g")
        assert "run000" in watch.text


async def test_a_connecting_box_says_so() -> None:
    feed = CannedFeed([BoxView("new", "root@203.0.113.9", LinkView("connecting"))])
    async with watching(feed) as watch:
        assert "opening the connection to root@203.0.113.9" in watch.line("connecting")


def test_a_canned_run_is_a_run_view() -> None:
    assert all(isinstance(run, RunView) for box in small_fleet() for run in box.runs)


async def test_a_figure_of_the_header_is_whole_or_not_there() -> None:
    alone = CannedFeed([replace(small_fleet()[3], price_per_hour=None)])
    async with watching(alone, charts=False) as watch:
        for width in range(40, 121):
            await watch.resize((width, 24))
            await watch.settle()
            assert "…" not in watch.lines[0], watch.lines[0]
            assert "▲ 1" in watch.lines[0]
