"""Alerts on the screen of any size, and from a real boxtop in a real terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.alerts.listener import Listener
from tests.cli.runs import live_run
from tests.cli.terminal import terminal
from tests.screens.watching import Watch, watching
from tests.waiting import wait_until
from tui.alerts.event import event, message_of
from tui.app import BoxtopApp
from tui.screens.alarms import SHOWN_SECONDS, ScreenPerson
from tui.screens.options import ScreenOptions

EVENTS = [
    event("dead", "lab", "run1", "lab run1 is dead: \x1b[31m[bold]killed; lab bills", 2.0),
    event("idle", "lab", None, "lab is idle", 1.0),
]


def person(watch: Watch) -> ScreenPerson:
    return ScreenPerson(watch.app)


@pytest.mark.parametrize("size", [(120, 40), (40, 12), (40, 4), (1, 1)])
async def test_an_alert_stands_at_the_end_of_any_screen(size: tuple[int, int]) -> None:
    async with watching(size=size, charts=False) as watch:
        person(watch).show(message_of(EVENTS, 3.0), loud=True)
        person(watch).notify(message_of(EVENTS, 3.0))
        await watch.pilot.pause()
        if size[1] >= 12:
            assert " 2 alerts: lab run1 is dead: [bold]kil" in " ".join(
                line.strip() for line in ["", *watch.lines[-3:]]
            )
        await watch.press("j")
        assert len(watch.lines) == size[1]


async def test_one_alert_is_told_as_it_is_also_below_a_dialog() -> None:
    async with watching(charts=False) as watch:
        await watch.press("question_mark")
        person(watch).show(message_of(EVENTS[1:], 3.0), loud=False)
        await watch.press("escape")
        assert "lab is idle" in watch.lines[-1]


async def test_what_watches_begins_after_the_first_picture() -> None:
    begun: list[BoxtopApp] = []
    async with watching(options=ScreenOptions(alarms=begun.append)) as watch:
        await watch.until(lambda: bool(begun))
        assert begun == [watch.app]
    assert SHOWN_SECONDS > 4


def test_a_run_that_fails_reaches_the_screen_the_desktop_and_the_webhook(
    tmp_path: Path, listener: Listener
) -> None:
    run = live_run(tmp_path / "runs" / "run1")
    config = tmp_path / "boxtop.toml"
    config.write_text(f"[alerts]\nurls = ['http://{listener.place}/hook']\n")
    config.chmod(0o600)
    data = tmp_path / "data"
    with terminal(tmp_path / "runs", "--config", config, "--data-dir", data) as shown:
        wait_until((data / "alerts.json").exists, 60)
        wait_until(lambda: '"was_at_work": true' in (data / "alerts.json").read_text(), 30)
        status = json.loads((run / "status.json").read_text())
        status |= {"state": "failed", "error": {"type": "ValueError", "message": "no labels"}}
        (run / "new").write_text(json.dumps(status))
        (run / "new").rename(run / "status.json")
        shown.wait_for("run1 failed: ValueError: no labels")
        wait_until(lambda: listener.taken, 30)
        shown.wait_for("\x1b]777;notify;boxtop: failed: runs run1;runs run1 failed: ValueError")
        shown.press("q")
        assert shown.end() == 0
    assert [one.body["title"] for one in listener.taken] == ["boxtop: failed: runs run1"]
    assert "Traceback" not in shown.shown
