"""Every key that costs or saves money, in the demo, in a real terminal: as tmux sends it."""

from __future__ import annotations

import sys
import time
from itertools import cycle
from pathlib import Path

import pytest

from tests.tmux import Tmux
from tests.tmux import tmux as tmux
from tests.waiting import wait_until
from tui.screens.dialog import GUARD_SECONDS

DEMO = [sys.executable, "-m", "tui", "demo", "--speed", "5"]


def guarded(tmux: Tmux, *words: str) -> None:
    """Wait for a dialog, and until it takes keys."""
    tmux.shows(*words)
    shown = time.monotonic()
    wait_until(lambda: time.monotonic() > shown + GUARD_SECONDS + 0.3)


def left(tmux: Tmux, words: str) -> None:
    """Leave a dialog; a key that follows an escape at once is another key."""
    tmux("send-keys", "Escape")
    wait_until(lambda: words not in tmux.screen(), 30)


def named(tmux: Tmux, name: str, *words: str) -> None:
    """Type a name and enter as hands do, again until it is taken: all at once it is a paste."""
    steps = cycle((("C-u",), ("-l", name), ("Enter",)))
    again = time.monotonic() + 0.5

    def is_taken() -> bool:
        nonlocal again
        if time.monotonic() > again:
            again = time.monotonic() + 0.5
            tmux("send-keys", *next(steps))
        return any(word in tmux.screen() for word in words)

    wait_until(is_taken, 60)


def chosen(tmux: Tmux, box: str) -> None:
    """Show the runs of one box alone."""
    tmux("send-keys", "/")
    wait_until(lambda: "? help" not in tmux.screen(), 30)
    tmux("send-keys", "-l", box)
    tmux.shows(f"filter  {box}")
    tmux("send-keys", "Enter")
    tmux.shows("1 of", "? help")


@pytest.mark.tmux
def test_an_instance_is_stopped_started_and_destroyed(tmux: Tmux) -> None:
    tmux.start((110, 34), "tmux-256color", *DEMO)
    tmux.shows("yolo9t-early", "$2.08/h", "credit")
    chosen(tmux, "demo-old")

    tmux("send-keys", "S")
    guarded(tmux, "stop demo-old", "releases the GPUs", "Cancel")
    tmux("send-keys", "Enter")
    tmux.shows("nothing was sent")

    tmux("send-keys", "S")
    guarded(tmux, "stop demo-old", "Cancel")
    tmux("send-keys", "Tab", "Enter")
    tmux.shows("is stopped: demo's list says", "still bills $0.0137/h")
    left(tmux, "Close")
    tmux.shows("its disk bills on: $0.0137/h", ": start, D destroy")
    tmux("send-keys", "S")
    tmux.shows("demo-old: it is stopped already")

    tmux("send-keys", ":")
    tmux.shows("find a command")
    tmux("send-keys", "-l", "start a stopped")
    tmux.shows("start a stopped instance")
    tmux("send-keys", "Enter")
    guarded(tmux, "start demo-old", "Cancel")
    tmux("send-keys", "Tab", "Enter")
    tmux.shows("demo-old (demo demo-old) runs")
    left(tmux, "Close")
    wait_until(lambda: "its disk bills on" not in tmux.screen(), 30)

    tmux("send-keys", "D")
    guarded(tmux, "destroy demo-old", "nowhere: 1 epoch would be lost", "Cancel")
    tmux("send-keys", "BTab")
    named(tmux, "demo-old", "destroy was accepted", "list says")
    tmux.shows("demo-old (demo demo-old) is gone")
    left(tmux, "Close")
    tmux.shows("○ gone", "its provider lists it no more")
    tmux("send-keys", "q")
    wait_until(lambda: "sleep" in tmux("list-panes", "-F", "#{pane_current_command}"), 30)


@pytest.mark.tmux
def test_weights_are_asked_for_and_a_training_is_ended(tmux: Tmux, tmp_path: Path) -> None:
    tmux.start((110, 34), "screen", *DEMO)
    tmux.shows("demo-a100 / yolo9t", "credit")
    chosen(tmux, "a100 running")
    tmux("send-keys", "P")
    tmux.shows("push weights to the Hugging Face Hub")
    left(tmux, "push weights")
    tmux("send-keys", "W")
    tmux.shows("pull weights to this machine")
    left(tmux, "pull weights")
    tmux("send-keys", "K")
    guarded(tmux, "end a training", "the box keeps billing")
    left(tmux, "end a training")
    tmux("send-keys", "q")
    wait_until(lambda: "sleep" in tmux("list-panes", "-F", "#{pane_current_command}"), 30)
