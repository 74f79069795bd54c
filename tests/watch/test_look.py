"""One look reads every box in its own time and says what it could not read."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.waiting import wait_until
from tests.watch.scripted import BOX, ONE_RUN, Script, ScriptedLink
from tui.boxes import Box
from tui.facts import Fact, Hello
from tui.links.asking import RefusingAsker
from tui.links.base import Asker, FollowRequest, HostKeyQuestion, LinkError
from tui.money import Rate
from tui.rent import RentView
from tui.runs.mirrors import Mirrors
from tui.view import BoxView
from tui.watch.fleet import box_mirror
from tui.watch.look import look


def looked(
    scripts: dict[str, Script], data: Path | None = None, timeout: float = 10.0
) -> list[BoxView]:
    def link_for(box: Box, _: object) -> ScriptedLink:
        return scripts[box.name].link()

    boxes = [replace(BOX, name=name) for name in scripts]
    return list(look(boxes, RefusingAsker(), data, timeout=timeout, link_for=link_for))


def test_a_box_that_says_everything_is_live() -> None:
    (view,) = looked({"lab": Script(ONE_RUN)})
    assert view.link.state == "live"
    assert [run.run.id for run in view.runs] == ["run1"]


def test_a_look_asks_only_once() -> None:
    script = Script(LinkError("unreachable", "connection refused"))
    (view,) = looked({"lab": script})
    assert view.link.state == "offline"
    assert view.link.error == "connection refused"
    assert len(script.requests) == 1


def test_an_error_of_one_box_leaves_the_others() -> None:
    views = looked(
        {
            "denied": Script(LinkError("auth", "refused", "add the key")),
            "faulty": Script(ZeroDivisionError("oops")),
            "fine": Script(ONE_RUN),
        }
    )
    assert [view.link.state for view in views] == ["refused", "offline", "live"]
    assert views[0].link.hint == "add the key"


def test_a_box_that_hangs_is_given_up_in_time() -> None:
    class Hanging(ScriptedLink):
        def __init__(self) -> None:
            self.closed = threading.Event()

        def open(self, request: object) -> object:  # type: ignore[override]
            yield Hello("python", 1000.0)
            self.closed.wait()

        def close(self) -> None:
            self.closed.set()

    class HangingScript(Script):
        def link(self, *_: object) -> ScriptedLink:
            return Hanging()

    nothing: tuple[Fact, ...] = ()
    for others in ({}, {"fine": Script(ONE_RUN)}):
        views = looked({"slow": HangingScript(nothing), **others}, timeout=0.2)
        assert views[0].link.error == "timed out after 0.2 s"
        assert all(view.link.state == "live" for view in views[1:])


def test_ctrl_c_ends_a_look_even_when_the_kernel_gives_it_to_another_thread() -> None:
    main = threading.main_thread().ident

    def main_waits() -> bool:
        frame = sys._current_frames()[main or 0]
        return frame.f_code.co_name in {"join", "_wait_for_tstate_lock"}

    class Interrupted(ScriptedLink):
        def open(self, request: FollowRequest) -> Iterator[Fact]:
            wait_until(main_waits)
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)
            threading.Event().wait(8.0)
            yield from ()

    def link_for(box: Box, _: object) -> ScriptedLink:
        return Interrupted(ONE_RUN, lambda request: None)

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        look([BOX], RefusingAsker(), None, timeout=8.0, link_for=link_for)
    assert time.monotonic() - began < 4.0


def test_a_box_that_fails_is_shown_as_its_mirror_remembers_it(tmp_path: Path) -> None:
    looked({"lab": Script(ONE_RUN)}, tmp_path)
    (view,) = looked({"lab": Script(LinkError("unreachable", "no route"))}, tmp_path)
    assert view.link.state == "offline"
    assert [run.run.id for run in view.runs] == ["run1"]


def test_the_time_stands_still_while_a_person_thinks() -> None:
    class Thinking(RefusingAsker):
        def accept_host_key(self, question: HostKeyQuestion) -> bool:
            thought = threading.Event()
            thought.wait(0.5)
            return True

    class Asking(ScriptedLink):
        def open(self, request: FollowRequest) -> Iterator[Fact]:
            assert self.asker.accept_host_key(HostKeyQuestion("h", "ssh-ed25519", "SHA256:x"))
            yield from super().open(request)

    def link_for(box: Box, asker: Asker) -> ScriptedLink:
        link = Asking(ONE_RUN, lambda request: None)
        link.asker = asker
        return link

    (view,) = look([BOX], Thinking(), None, timeout=0.3, link_for=link_for)
    assert view.link.state == "live"


def test_what_a_provider_told_is_remembered_and_no_error_takes_it_away(tmp_path: Path) -> None:
    told = RentView("vast", "1", "lab", "running", rate_now=Rate(3.0, "reported"), listed_at=5.0)
    unread = RentView("vast", "1", "lab", "unknown", error="API error 503")
    for rent in (told, unread):
        link = Script(ONE_RUN).link()
        look([BOX], RefusingAsker(), tmp_path, link_for=lambda *_: link, rent_of=lambda _: rent)  # noqa: B023
        kept = box_mirror(Mirrors(tmp_path), BOX).meta.rent
        assert kept is not None and kept.state == "running" and kept.rate_now.usd_per_hour == 3.0
