from __future__ import annotations

import pytest

from tests.providers.build import StillClock
from tests.providers.fake_http import LOST, Canned
from tests.providers.fake_lambda import FakeLambda, error, row
from tui.money import Rate
from tui.providers.base import Address, ProviderError, State
from tui.providers.lambda_ import Lambda

ID = "0a1b"


def test_a_row_becomes_an_instance(account_lambda: Lambda) -> None:
    (one,) = account_lambda.list().instances
    assert (one.id, one.name, one.state) == (ID, "yolo", State.RUNNING)
    assert one.rate_now == one.rate_running == Rate(0.75, "reported")
    assert one.rate_stopped == Rate()
    assert one.addresses == (Address("192.0.2.10", 22, "ubuntu"),)
    assert (one.gpu_name, one.gpu_count) == ("A10 (24 GB)", 1)
    assert one.keeps.can_stop is False and one.keeps.outlives == ("file system fs",)
    assert one.allowed == frozenset({"destroy"})


def test_there_is_no_stop_and_nothing_stands_in_for_it(
    account_lambda: Lambda, fake_lambda: FakeLambda
) -> None:
    assert not account_lambda.capabilities.can("stop")
    assert "no stop" in (account_lambda.capabilities.stop_note or "")
    for action in (account_lambda.stop, account_lambda.start):
        with pytest.raises(ProviderError) as caught:
            action(ID)
        assert caught.value.kind == "unsupported"
    assert fake_lambda.requests == []


def test_a_price_of_0_is_none(account_lambda: Lambda, fake_lambda: FakeLambda) -> None:
    fake_lambda.rows = [row(instance_type={"price_cents_per_hour": 0})]
    (one,) = account_lambda.list().instances
    assert one.rate_now == one.rate_running == Rate()


@pytest.mark.parametrize(
    ("status", "state", "assumed"),
    [
        ("booting", State.STARTING, True),
        ("unhealthy", State.UNREACHABLE, False),
        ("terminating", State.TERMINATING, False),
        ("preempted", State.FAILED, True),
        ("melted", State.UNKNOWN, True),
        (None, State.UNKNOWN, True),
    ],
)
def test_all_states_bill(status: object, state: State, assumed: bool) -> None:
    from tui.providers.lambda_ import instance_of

    one = instance_of(row(status=status))
    assert one is not None
    assert (one.state, one.rate_assumed) == (state, assumed)
    assert one.rate_now == Rate(0.75, "reported")


def test_destroy_is_accepted_and_the_row_stays_for_a_while(
    account_lambda: Lambda, fake_lambda: FakeLambda
) -> None:
    fake_lambda.allow("destroy", ID)
    assert account_lambda.destroy(ID).result == "accepted"
    assert account_lambda.list().instances[0].state is State.TERMINATING
    assert account_lambda.list().instances == ()
    assert account_lambda.get(ID) is None
    fake_lambda.allow("destroy", ID)
    assert account_lambda.destroy(ID).already


@pytest.mark.parametrize(
    "canned", [LOST, Canned(200, {"data": {"terminated_instances": [{"id": "other"}]}})]
)
def test_an_answer_about_another_instance_confirms_nothing(
    account_lambda: Lambda, fake_lambda: FakeLambda, canned: Canned
) -> None:
    fake_lambda.fail(canned, "POST")
    fake_lambda.allow("destroy", ID)
    assert account_lambda.destroy(ID).result == "unconfirmed"


def test_errors_carry_their_words(account_lambda: Lambda, fake_lambda: FakeLambda) -> None:
    fake_lambda.fail(error(401, "global/invalid-api-key", "API key was invalid"))
    with pytest.raises(ProviderError, match="API key was invalid") as caught:
        account_lambda.list()
    assert caught.value.kind == "auth"
    fake_lambda.fail(Canned(200, {"data": None}))
    with pytest.raises(ProviderError):
        account_lambda.list()
    assert account_lambda.account() is None  # type: ignore[func-returns-value]


def test_all_calls_together_are_one_a_second(account_lambda: Lambda, clock: StillClock) -> None:
    account_lambda.list()
    account_lambda.get(ID)
    account_lambda.list()
    assert clock.pauses == [1.0, 1.0]
