from __future__ import annotations

import pytest

from tests.providers.build import StillClock
from tui.providers.base import ProviderError, State
from tui.providers.demo import DESTROY_SECONDS, START_SECONDS, STOP_SECONDS, Demo


def states(demo: Demo) -> list[State]:
    return [one.state for one in demo.list().instances]


@pytest.fixture
def demo(clock: StillClock) -> Demo:
    return Demo(clock=clock)


def test_three_boxes_that_bill(demo: Demo) -> None:
    boxes = demo.list().instances
    assert [one.name for one in boxes] == ["demo-a100", "demo-4090", "demo-old"]
    assert [one.rate_now.usd_per_hour for one in boxes] == [1.49, 0.44, 0.15]
    assert demo.account().credit == 25.0


def test_a_life(demo: Demo, clock: StillClock) -> None:
    assert demo.stop("demo-a100").result == "accepted"
    assert states(demo)[0] is State.STOPPING
    assert demo.stop("demo-a100").why == "not_now"
    clock.now += STOP_SECONDS
    one = demo.get("demo-a100")
    assert one is not None and one.state is State.STOPPED
    assert one.rate_now == one.rate_stopped
    assert demo.start("demo-a100").result == "accepted"
    clock.now += START_SECONDS
    assert states(demo)[0] is State.RUNNING
    assert demo.destroy("demo-a100").result == "accepted"
    assert states(demo)[0] is State.TERMINATING
    clock.now += DESTROY_SECONDS
    assert demo.get("demo-a100") is None and len(states(demo)) == 2
    assert demo.destroy("demo-a100").already
    assert demo.stop("demo-a100").result == "refused"
    assert demo.logs("demo-a100") == ("stop: accepted", "start: accepted", "destroy: accepted")


def test_a_taken_gpu_queues_the_first_start(demo: Demo, clock: StillClock) -> None:
    demo.stop("demo-4090")
    clock.now += STOP_SECONDS
    reply = demo.start("demo-4090")
    assert reply.queued and reply.result == "refused"
    assert states(demo)[1] is State.QUEUED
    assert demo.stop("demo-4090").result == "accepted"
    clock.now += STOP_SECONDS
    assert demo.start("demo-4090").result == "accepted"


def test_no_such_box(demo: Demo) -> None:
    for action in (demo.stop, demo.start, demo.destroy, demo.logs):
        with pytest.raises(ProviderError):
            action("other")
