"""The log: follows, scrolls, searches, and does not jump when old lines go."""

from __future__ import annotations

from dataclasses import replace

from textual.events import Key

from tests.screens.feed import LIVE, CannedFeed, running
from tests.screens.recorded import log_of
from tests.screens.watching import NARROW, Watch, name_of, watching
from tui.runs.log import LogTail
from tui.view import BoxView
from tui.widgets.log_panel import LogPanel
from tui.widgets.matches import Matches


def logging(lines: int = 200) -> tuple[CannedFeed, LogTail]:
    """A run whose log has numbered lines."""
    tail = log_of(f"line {number} of the log" for number in range(lines))
    view = replace(running().view, log=tail)
    return CannedFeed([BoxView("a", "a", LIVE, (view,))]), tail


async def opened(watch: Watch) -> LogPanel:
    """Open the run's log."""
    await watch.press("5")
    return watch.app.screen.query_one(LogPanel)


async def test_it_starts_at_the_end_and_follows() -> None:
    feed, tail = logging()
    async with watching(feed, NARROW) as watch:
        await opened(watch)
        assert "line 199" in watch.text
        tail.feed(b"and one more\n")
        await watch.settle()
        assert "and one more" in watch.text
        assert "following" in watch.text


async def test_scrolling_up_stops_following_and_the_last_line_key_resumes() -> None:
    feed, tail = logging()
    async with watching(feed, NARROW) as watch:
        await opened(watch)
        await watch.press(*["k"] * 12)
        assert "following" not in watch.text
        assert "line 188 of 200" in watch.text
        tail.feed(b"unseen\n" * 50)
        await watch.settle()
        assert "unseen" not in watch.text
        await watch.press("G")
        assert "following" in watch.text
        assert "unseen" in watch.text


async def test_f_turns_following_on_and_off() -> None:
    feed, _ = logging()
    async with watching(feed, NARROW) as watch:
        panel = await opened(watch)
        seen = []
        for _ in range(2):
            await watch.press("f")
            seen.append(panel.follows)
        assert seen == [False, True]


async def test_the_first_line_key_goes_to_the_oldest_line() -> None:
    feed, _ = logging()
    async with watching(feed, NARROW) as watch:
        await opened(watch)
        await watch.press("g")
        assert "line 0 of the log" in watch.text


async def test_search_goes_to_the_newest_match_and_n_goes_on() -> None:
    feed, _ = logging()
    async with watching(feed, NARROW) as watch:
        panel = await opened(watch)
        await watch.press("slash")
        await watch.type("line 12")
        await watch.press("enter")
        assert panel.current_line == "line 129 of the log"
        assert "/line 12 11/11" in watch.text
        await watch.press("N")
        assert panel.current_line == "line 128 of the log"
        await watch.press("n", "n")
        assert panel.current_line == "line 12 of the log"


async def test_fast_hands_lose_no_letter_of_a_search() -> None:
    feed, _ = logging()
    async with watching(feed, NARROW, charts=False) as watch:
        for character in "/line 12":
            watch.app.post_message(Key(name_of(character), character))
        watch.app.post_message(Key("enter", "\r"))
        await watch.until(lambda: "runs 0 of 1" in watch.text)
        assert watch.app.settings.words == "line 12"


async def test_search_without_a_match_says_so() -> None:
    feed, _ = logging()
    async with watching(feed, NARROW) as watch:
        await opened(watch)
        await watch.press("slash")
        await watch.type("nowhere")
        await watch.press("enter")
        assert "no line holds nowhere" in watch.text


async def test_search_works_while_the_log_does_not_follow() -> None:
    feed, tail = logging()
    async with watching(feed, NARROW) as watch:
        panel = await opened(watch)
        await watch.press("f", "slash")
        await watch.type("later")
        await watch.press("enter")
        tail.feed(b"much later\n")
        await watch.settle()
        await watch.press("n")
        assert panel.current_line == "much later"


async def test_a_log_that_loses_old_lines_does_not_jump() -> None:
    tail = LogTail(max_lines=100)
    tail.feed(b"".join(b"line %d.\n" % number for number in range(100)))
    view = replace(running().view, log=tail)
    async with watching(CannedFeed([BoxView("a", "a", LIVE, (view,))]), NARROW) as watch:
        panel = await opened(watch)
        await watch.press("k", "k", "k", "k")
        line = panel.current_line
        tail.feed(b"".join(b"new %d.\n" % number for number in range(40)))
        await watch.settle()
        assert panel.current_line == line
        assert line is not None
        assert line in watch.text
        tail.feed(b"".join(b"newer %d.\n" % number for number in range(100)))
        await watch.settle()
        assert panel.current_line == "newer 0."


async def test_the_console_log_is_one_key_away() -> None:
    base = running().view
    view = replace(base, log=log_of(["of the run"]), console=log_of(["of the console"]))
    async with watching(CannedFeed([BoxView("a", "a", LIVE, (view,))]), NARROW) as watch:
        await opened(watch)
        assert "of the run" in watch.text
        await watch.press("o")
        assert "of the console" in watch.text
        assert "log console log" in watch.text


async def test_long_lines_scroll_sideways() -> None:
    view = replace(running().view, log=log_of(["x" * 100 + " the end"]))
    async with watching(CannedFeed([BoxView("a", "a", LIVE, (view,))]), NARROW) as watch:
        await opened(watch)
        assert "the end" not in watch.text
        await watch.press("l", "l", "l")
        assert "the end" in watch.text
        await watch.press("h", "h", "h")
        assert "the end" not in watch.text


async def test_a_log_that_shrinks_is_shown_from_its_start() -> None:
    feed, tail = logging()
    async with watching(feed, NARROW) as watch:
        await opened(watch)
        await watch.press("k", "k")
        tail.reset()
        tail.feed(b"began anew\n")
        await watch.settle()
        assert "began anew" in watch.text


def test_matches_are_found_once_each_as_the_log_grows() -> None:
    tail = LogTail(max_lines=50)
    matches = Matches()
    matches.search("hit")
    tail.feed(b"hit\nmiss\nhi")
    matches.update(tail)
    assert matches.count == 1
    tail.feed(b"t me\n")
    matches.update(tail)
    assert matches.count == 2
    tail.feed(b"miss\n" * 60)
    matches.update(tail)
    assert matches.count == 0


def test_small_letters_find_both_cases_and_capitals_only_their_own() -> None:
    tail = log_of(["Error", "error"])
    matches = Matches()
    matches.search("error")
    matches.update(tail)
    assert matches.count == 2
    matches.search("Error")
    matches.update(tail)
    assert matches.count == 1
