"""A channel may be slow and may fail: what it is given arrives, or the person is told once."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from tests.alerts.listener import Listener
from tests.waiting import wait_until
from tui.alerts.channel import Answer, Channel
from tui.alerts.channels import channels_of
from tui.alerts.courier import WAITING_MOST, Courier
from tui.alerts.event import Message, event, message_of

NOW = 1_796_004_000.0
AT_ONCE = (0.01,)


def message(name: str) -> Message:
    return message_of([event("dead", "lab", name, f"lab {name} is dead", NOW)], NOW)


class Desk:
    """A courier to a listener, and what was told of it."""

    def __init__(self, channel: Channel) -> None:
        self.told: list[str] = []
        self.courier = Courier(channel, self.told.append, waits=AT_ONCE)


@pytest.fixture
def desk(listener: Listener) -> Iterator[Desk]:
    (channel,) = channels_of([f"http://{listener.place}/secret-hook"])
    found = Desk(channel)
    yield found
    found.courier.close()


def arrived(listener: Listener) -> list[str]:
    return [event["run"] for taken in listener.taken for event in taken.body["events"]]


def test_messages_arrive_in_their_order(desk: Desk, listener: Listener) -> None:
    for name in "abc":
        desk.courier.send(message(name))
    wait_until(lambda: len(arrived(listener)) >= 3)
    assert arrived(listener) == ["a", "b", "c"] and desk.told == []


def test_what_heals_is_tried_again_and_told_once(desk: Desk, listener: Listener) -> None:
    for status in (503, 429, 500):
        listener.answer(status)
    desk.courier.send(message("a"))
    wait_until(lambda: len(listener.taken) == 4)
    assert arrived(listener) == ["a"] * 4
    place = f"127.0.0.1:{listener.port}"
    assert desk.told == [f"alerts: webhook at {place}: answered 503; boxtop tries again"]


def test_what_does_not_heal_is_told_once_and_the_next_message_goes_out(
    desk: Desk, listener: Listener
) -> None:
    listener.answer(404)
    listener.answer(404)
    for number, name in enumerate("abc", 1):
        desk.courier.send(message(name))
        wait_until(lambda n=number: len(listener.taken) == n)
    assert len(desk.told) == 1 and desk.told[0].endswith("answered 404; not delivered")
    assert "secret-hook" not in desk.told[0]


def test_a_channel_that_was_well_again_is_told_of_again(desk: Desk, listener: Listener) -> None:
    for number, status in enumerate((404, 200, 404), 1):
        listener.answer(status)
        desk.courier.send(message("a"))
        wait_until(lambda n=number: len(listener.taken) == n)
    wait_until(lambda: len(desk.told) == 2)


def test_what_arrives_late_says_so() -> None:
    slow, times = Slow(), [0.0]
    slow.answers = [Answer(False, "no network", heals=True), Answer(True, "taken")]
    slow.may.set()
    courier = Courier(
        slow, lambda _line: times.append(3600.0), steady=lambda: times[-1], waits=(0,)
    )
    courier.send(message("a"))
    wait_until(lambda: len(slow.sent) == 2)
    courier.end()
    assert slow.sent[-1].title == "boxtop: dead: lab a (60 min ago)"


class Slow:
    """A channel that takes a message only when it may."""

    name = "slow"

    def __init__(self) -> None:
        self.may = threading.Event()
        self.sent: list[Message] = []
        self.answers: list[Answer] = []

    def send(self, message: Message) -> Answer:
        self.may.wait(30)
        self.sent.append(message)
        return self.answers.pop(0) if self.answers else Answer(True, "taken")


def test_what_waits_behind_a_slow_channel_is_one_message_and_bounded() -> None:
    slow = Slow()
    desk = Desk(slow)
    for number in range(1000):
        desk.courier.send(message(f"run{number}"))
    slow.may.set()
    wait_until(lambda: any(e.run == "run999" for m in slow.sent for e in m.events))
    assert len(slow.sent) <= 3
    assert sum(len(m.events) for m in slow.sent) <= 2 * WAITING_MOST
    desk.courier.close()


class Broken:
    """A channel with a fault of its own."""

    name = "broken"

    def __init__(self) -> None:
        self.tries = 0

    def send(self, message: Message) -> Answer:
        self.tries += 1
        raise ZeroDivisionError


def test_a_fault_ends_nothing() -> None:
    broken = Broken()
    desk = Desk(broken)
    for number in (1, 2):
        desk.courier.send(message("a"))
        wait_until(lambda n=number: broken.tries == n)
    desk.courier.close()
    assert desk.told == ["alerts: broken: boxtop erred (ZeroDivisionError); not delivered"]


def test_leaving_waits_for_no_channel(desk: Desk, listener: Listener) -> None:
    listener.answer(429, Retry_After="3600")
    desk.courier.send(message("a"))
    wait_until(lambda: desk.told)
    desk.courier.close()
    assert desk.courier._thread is not None and not desk.courier._thread.is_alive()
    assert len(listener.taken) == 1
