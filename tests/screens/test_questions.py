"""Links ask from their threads, people answer on the screen, one question after another."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from tests.screens.feed import CannedFeed
from tests.screens.watching import Watch, watching
from tests.waiting import wait_until
from tui.links.base import Asker, HostKeyQuestion
from tui.screens.asker import ScreenAsker
from tui.screens.host_key import HostKeyDialog
from tui.screens.passphrase import PassphraseDialog

QUESTION = HostKeyQuestion("[203.0.113.7]:41022", "ssh-ed25519", "SHA256:abcdef")


class Clock:
    """A steady time that tests move."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def pool() -> ThreadPoolExecutor:
    """Threads that links could be."""
    return ThreadPoolExecutor(4)


async def shown(watch: Watch, kind: type) -> None:
    """Wait until a dialog of this kind is open."""
    await watch.until(lambda: isinstance(watch.app.screen, kind))
    await watch.pilot.pause()


async def answered(watch: Watch, future: Future[Any]) -> object:
    """Wait for the answer that a link's thread gets."""
    await watch.until(future.done)
    return future.result()


def test_it_is_an_asker() -> None:
    asker: Asker = ScreenAsker()
    assert asker is not None


async def test_a_host_key_is_shown_and_trusted_only_by_a_yes(pool: ThreadPoolExecutor) -> None:
    asker, clock = ScreenAsker(), Clock()
    async with watching(asker=asker, steady_time=clock, charts=False) as watch:
        future = pool.submit(asker.accept_host_key, QUESTION)
        await shown(watch, HostKeyDialog)
        for words in ("[203.0.113.7]:41022", "ssh-ed25519", "SHA256:abcdef"):
            assert words in watch.text
        clock.now += 2
        await watch.press("right", "enter")
        assert await answered(watch, future) is True


async def test_no_has_the_focus(pool: ThreadPoolExecutor) -> None:
    asker, clock = ScreenAsker(), Clock()
    async with watching(asker=asker, steady_time=clock, charts=False) as watch:
        future = pool.submit(asker.accept_host_key, QUESTION)
        await shown(watch, HostKeyDialog)
        clock.now += 2
        await watch.press("enter")
        assert await answered(watch, future) is False


async def test_escape_is_a_no_at_any_time(pool: ThreadPoolExecutor) -> None:
    asker = ScreenAsker()
    async with watching(asker=asker, steady_time=Clock(), charts=False) as watch:
        future = pool.submit(asker.accept_host_key, QUESTION)
        await shown(watch, HostKeyDialog)
        await watch.press("escape")
        assert await answered(watch, future) is False


async def test_keys_of_the_first_second_do_not_answer(pool: ThreadPoolExecutor) -> None:
    asker, clock = ScreenAsker(), Clock()
    async with watching(asker=asker, steady_time=clock, charts=False) as watch:
        future = pool.submit(asker.accept_host_key, QUESTION)
        await shown(watch, HostKeyDialog)
        await watch.press("tab", "enter", "y", "right", "enter", "space")
        assert not future.done()
        for _ in range(50):
            clock.now += 0.03
            await watch.pilot.press("enter")
        assert not future.done(), "a key that is held must not get through either"
        clock.now += 1
        await watch.press("enter")
        assert await answered(watch, future) is False


async def test_a_passphrase_is_never_shown(pool: ThreadPoolExecutor) -> None:
    asker = ScreenAsker()
    async with watching(asker=asker, charts=False) as watch:
        future = pool.submit(asker.passphrase, "/home/me/.ssh/id_ed25519", 2)
        await shown(watch, PassphraseDialog)
        assert "/home/me/.ssh/id_ed25519" in watch.text
        assert "Attempt 2 of 3" in watch.text
        await watch.type("s3cret")
        assert "s3cret" not in watch.text
        await watch.press("enter")
        assert await answered(watch, future) == "s3cret"


async def test_no_passphrase_is_an_answer_too(pool: ThreadPoolExecutor) -> None:
    asker = ScreenAsker()
    async with watching(asker=asker, charts=False) as watch:
        future = pool.submit(asker.passphrase, "key", 1)
        await shown(watch, PassphraseDialog)
        await watch.press("escape")
        assert await answered(watch, future) is None


async def test_questions_wait_for_each_other(pool: ThreadPoolExecutor) -> None:
    asker, clock = ScreenAsker(), Clock()
    async with watching(asker=asker, steady_time=clock, charts=False) as watch:
        hosts = [HostKeyQuestion(f"host{i}", "ssh-ed25519", "SHA256:x") for i in range(3)]
        futures = [pool.submit(asker.accept_host_key, host) for host in hosts]
        seen: set[str] = set()
        for _ in hosts:
            await shown(watch, HostKeyDialog)
            clock.now += 2
            dialogs = [s for s in watch.app.screen_stack if isinstance(s, HostKeyDialog)]
            assert len(dialogs) == 1
            seen.add(dialogs[0].question.host)
            await watch.press("escape")
            await watch.until(lambda: sum(f.done() for f in futures) >= len(seen))
        assert seen == {"host0", "host1", "host2"}


async def test_a_question_from_before_the_start_is_asked_at_the_start(
    pool: ThreadPoolExecutor,
) -> None:
    asker = ScreenAsker()
    future = pool.submit(asker.passphrase, "early", 1)
    async with watching(asker=asker, charts=False) as watch:
        await shown(watch, PassphraseDialog)
        await watch.press("escape")
        assert await answered(watch, future) is None


async def test_the_end_of_the_app_answers_everything_with_no(pool: ThreadPoolExecutor) -> None:
    asker = ScreenAsker()
    async with watching(CannedFeed(), asker=asker, charts=False) as watch:
        first = pool.submit(asker.accept_host_key, QUESTION)
        await shown(watch, HostKeyDialog)
        second = pool.submit(asker.passphrase, "key", 1)
        watch.app.exit()
    assert first.result(10) is False
    assert second.result(10) is None
    assert asker.passphrase("late", 1) is None


def test_a_person_who_said_yes_beforehand_is_not_asked() -> None:
    assert ScreenAsker(accept_new_host_key=True).accept_host_key(QUESTION)


def test_a_thread_waits_without_an_app_until_the_asker_is_closed() -> None:
    asker = ScreenAsker()
    answers: list[object] = []
    thread = threading.Thread(target=lambda: answers.append(asker.passphrase("key", 1)))
    thread.start()
    wait_until(lambda: bool(asker._waiting))
    assert not answers
    asker.close()
    thread.join(10)
    assert answers == [None]
