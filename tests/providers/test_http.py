from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest

from tests.providers.build import StillClock, make_api
from tests.providers.fake_http import HTML_503, KEY, LOST, Canned, Change, FakeVendor, Request
from tests.waiting import wait_until
from tui.clock import Clock
from tui.providers import http
from tui.providers.answer import Answer
from tui.providers.base import ProviderError, Reply
from tui.providers.http import Api
from tui.providers.keys import Key
from tui.providers.pace import LONGEST_ASKED, Pace


class Plain(FakeVendor):
    """Answers everything with its path; every POST, PUT and DELETE is a change."""

    def change_of(self, request: Request) -> Change | None:
        return None if request.method == "GET" else (request.method, request.path)

    def unauthorized(self) -> Canned:
        return Canned(401, {"error": f"bad key {KEY}x"})

    def answer(self, request: Request) -> Canned:
        return Canned(200, {"path": request.path})


@pytest.fixture
def fake() -> Iterator[Plain]:
    found = Plain()
    yield found
    found.close()
    assert found.ledger == found.allowed


@pytest.fixture
def api(fake: Plain, clock: StillClock) -> Iterator[Api]:
    found = make_api("plain", fake.url, {"list": 1.0}, clock)
    yield found
    found.close()


def accepted(answer: Answer) -> Reply | None:
    return Reply("accepted") if answer.well and answer.is_json else None


@pytest.mark.parametrize("fault", [HTML_503, LOST, Canned(500), Canned(502, b"x"), Canned(504)])
def test_a_read_is_tried_three_times(
    api: Api, fake: Plain, clock: StillClock, fault: Canned
) -> None:
    fake.fail(fault, times=2)
    assert api.read("", "/a") == {"path": "/a"}
    assert clock.pauses == [0.5, 1.0]
    fake.fail(fault, times=9)
    with pytest.raises(ProviderError):
        api.read("", "/a")
    assert len(fake.requests) == 6


@pytest.mark.parametrize(("dice", "pauses"), [(0.0, [0.25, 0.5]), (1.0, [0.75, 1.5])])
def test_not_all_who_failed_together_come_back_together(
    fake: Plain, clock: StillClock, dice: float, pauses: list[float]
) -> None:
    api = Api("plain", fake.url, Key(KEY, "x"), Pace({}, clock, clock.pause), clock, lambda: dice)
    fake.fail(HTML_503, times=2)
    assert api.read("", "/a") == {"path": "/a"}
    assert clock.pauses == pauses
    api.close()


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 418])
def test_what_cannot_heal_is_not_repeated(
    api: Api, fake: Plain, clock: StillClock, status: int
) -> None:
    fake.fail(Canned(status, {"error": {"message": "no"}}, {"Location": "/other"}))
    with pytest.raises(ProviderError, match=f"API error {status}: no"):
        api.read("", "/a")
    assert len(fake.requests) == 1 and clock.pauses == []


def test_a_short_retry_after_is_waited_for_and_a_long_one_is_the_callers(
    api: Api, fake: Plain, clock: StillClock
) -> None:
    fake.fail(Canned(503, None, {"Retry-After": "3"}))
    api.read("", "/a")
    assert clock.pauses == [3.0]
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=90))
    fake.fail(Canned(503, None, {"Retry-After": later}))
    with pytest.raises(ProviderError) as caught:
        api.read("", "/a")
    assert 80 < (caught.value.retry_after_s or 0) <= 90
    assert clock.pauses == [3.0]


@pytest.mark.parametrize("value", ["", "soon", "-5", "1e9", "9" * 40])
def test_a_retry_after_that_is_none_changes_nothing(
    api: Api, fake: Plain, clock: StillClock, value: str
) -> None:
    fake.fail(Canned(429, b"slow", {"Retry-After": value}))
    with pytest.raises(ProviderError) as caught:
        api.read("", "/a")
    assert caught.value.retry_after_s == 30.0
    assert len(fake.requests) == 1 and clock.pauses == []


def test_a_closed_list_leaves_the_way_to_a_stop(api: Api, fake: Plain) -> None:
    fake.fail(Canned(429, b"slow"))
    with pytest.raises(ProviderError):
        api.read("list", "/a")
    fake.allow("PUT", "/stop")
    assert api.change("change", "PUT", "/stop", {}, accepted).result == "accepted"


def test_a_change_waits_as_long_as_it_was_told(api: Api, fake: Plain, clock: StillClock) -> None:
    fake.fail(Canned(429, b"slow", {"Retry-After": "7"}), "PUT")
    fake.allow("PUT", "/stop")
    reply = api.change("change", "PUT", "/stop", {}, accepted)
    assert (reply.result, reply.why, reply.retry_after_s) == ("refused", "rate", 7.0)
    with pytest.raises(ProviderError, match="asked to wait"):
        api.change("change", "PUT", "/stop", {}, accepted)
    clock.now += 8
    fake.allow("PUT", "/stop")
    assert api.change("change", "PUT", "/stop", {}, accepted).result == "accepted"


@pytest.mark.parametrize("status", [200, 301, 307, 408, 500, 502, 503, 504])
def test_a_change_whose_answer_says_nothing_is_unconfirmed_and_was_sent_once(
    api: Api, fake: Plain, status: int
) -> None:
    fake.fail(Canned(status, b"what?", {"Location": "/other"}), "DELETE", times=3)
    fake.allow("DELETE", "/a")
    reply = api.change("", "DELETE", "/a", {}, accepted)
    assert (reply.result, len(fake.requests)) == ("unconfirmed", 1)
    assert "look at the list" in (reply.hint or "")


@pytest.mark.parametrize(
    ("status", "why"), [(400, "other"), (401, "auth"), (402, "credit"), (409, "not_now")]
)
def test_a_change_that_is_refused_was_certainly_not_done(
    api: Api, fake: Plain, status: int, why: str
) -> None:
    fake.fail(Canned(status, {"msg": "no"}), "DELETE")
    fake.allow("DELETE", "/a")
    reply = api.change("", "DELETE", "/a", {}, accepted)
    assert (reply.result, reply.why) == ("refused", why)


def test_no_change_goes_over_a_connection_that_stood_idle(api: Api, fake: Plain) -> None:
    api.read("", "/a")
    fake.allow("PUT", "/a")
    api.change("", "PUT", "/a", {}, accepted)
    first, second = (one.connection for one in fake.requests)
    assert first != second


@pytest.mark.parametrize("body", [b"", b"{", b"<html>", b"\xff\xfe", b"[" * 100_000, b"1" * 9000])
def test_what_is_no_json_is_no_answer(api: Api, fake: Plain, body: bytes) -> None:
    fake.fail(Canned(200, body))
    with pytest.raises(ProviderError) as caught:
        api.read("", "/a")
    assert caught.value.kind == "protocol"


def test_an_answer_that_breaks_off_tells_nothing_of_its_rows(api: Api, fake: Plain) -> None:
    fake.fail(Canned(200, b'{"instances":[{"extra_env":[["WANDB_API_KEY","s3cret-of-a-box"]'))
    with pytest.raises(ProviderError, match="it breaks off") as caught:
        api.read("", "/a")
    assert "s3cret-of-a-box" not in str(caught.value)


def test_a_flood_ends(api: Api, fake: Plain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MAX_BYTES", 1000)
    fake.fail(Canned(200, b" " * 5000))
    with pytest.raises(ProviderError, match="too large"):
        api.read("", "/a")
    fake.fail(Canned(200, b" " * 5000), "PUT")
    fake.allow("PUT", "/a")
    assert api.change("", "PUT", "/a", {}, accepted).result == "unconfirmed"


def test_silence_is_a_timeout_for_a_read_and_unconfirmed_for_a_change(
    fake: Plain, monkeypatch: pytest.MonkeyPatch, clock: StillClock
) -> None:
    monkeypatch.setattr(http, "TIMEOUT", httpx2.Timeout(0.2))
    go_on = threading.Event()
    answer = fake.answer

    def silent(request: Request) -> Canned:
        go_on.wait(10)
        return answer(request)

    monkeypatch.setattr(fake, "answer", silent)
    api = make_api("plain", fake.url, {}, clock)
    fake.allow("DELETE", "/a")
    assert api.change("", "DELETE", "/a", {}, accepted).result == "unconfirmed"
    go_on.set()
    api.close()


def test_who_keeps_silent_for_long_is_not_asked_again_at_once(
    fake: Plain, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Passing(StillClock):
        """Every look at it is 15 s later."""

        def steady(self) -> float:
            self.now += 15.0
            return self.now

    monkeypatch.setattr(http, "TIMEOUT", httpx2.Timeout(10.0, read=0.2))
    ended = threading.Event()

    def silent(request: Request) -> Canned:
        ended.wait(10)
        return Canned(200, {})

    monkeypatch.setattr(fake, "answer", silent)
    clock = Passing()
    api = make_api("plain", fake.url, {}, clock)
    with pytest.raises(ProviderError) as caught:
        api.read("", "/a")
    ended.set()
    api.close()
    assert (caught.value.kind, clock.pauses) == ("timeout", [])
    wait_until(lambda: fake.count("GET") == 1)


def test_a_drip_of_bytes_holds_nobody(
    api: Api, fake: Plain, clock: StillClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "WHOLE_SECONDS", -1.0)
    with pytest.raises(ProviderError, match="too long"):
        api.read("", "/a")


def test_the_key_is_in_no_message_and_no_log(
    fake: Plain, clock: StillClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    api = make_api("plain", fake.url, {}, clock, key=f"{KEY}x")
    said = [repr(api), repr(Key(KEY, "x"))]
    with pytest.raises(ProviderError) as caught:
        api.read("", "/a")
    said += [str(caught.value), repr(caught.value), repr(caught.value.__cause__)]
    assert "***" in said[2]
    fake.fail(Canned(400, f"echo Authorization: Bearer {KEY}x".encode()), "PUT")
    fake.allow("PUT", "/a")
    said.append(repr(api.change("", "PUT", "/a", {}, accepted)))
    said.append(caplog.text)
    assert not any(KEY in text for text in said)
    api.close()


def test_the_environments_proxy_is_not_for_this_machine(
    fake: Plain, clock: StillClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    api = make_api("plain", fake.url, {}, clock)
    assert api.read("", "/a") == {"path": "/a"}
    api.close()


def test_requests_of_a_lane_are_spaced(api: Api, clock: StillClock) -> None:
    for _ in range(3):
        api.read("list", "/a")
    api.read("other", "/a")
    assert clock.pauses == [1.0, 1.0]


def test_all_lanes_together_may_be_spaced(fake: Plain, clock: StillClock) -> None:
    api = make_api("plain", fake.url, {"*": 1.0}, clock)
    api.read("a", "/a")
    api.read("b", "/a")
    assert clock.pauses == [1.0]
    api.close()


def test_close_ends_a_wait(fake: Plain) -> None:
    clock = Clock()
    pace = Pace({"list": 60.0}, clock)
    api = Api("plain", fake.url, Key(KEY, "x"), pace, clock)
    api.read("list", "/a")
    caught: list[Exception] = []

    def ask() -> None:
        try:
            api.read("list", "/a")
        except ProviderError as error:
            caught.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    api.close()
    thread.join(10)
    assert [type(error) for error in caught] == [ProviderError]
    with pytest.raises(ProviderError, match="closed"):
        api.change("", "PUT", "/a", {}, accepted)


def test_nothing_that_answers_is_unreachable(clock: StillClock) -> None:
    fake = Plain()
    fake.close()
    api = make_api("plain", fake.url, {}, clock)
    with pytest.raises(ProviderError) as caught:
        api.read("", "/a")
    assert caught.value.kind == "unreachable" and caught.value.heals
    assert "online" in (caught.value.hint or "")
    assert len(clock.pauses) == 2


def test_nobody_is_kept_away_for_days(api: Api, fake: Plain, clock: StillClock) -> None:
    fake.fail(Canned(429, b"slow", {"Retry-After": "999999"}))
    with pytest.raises(ProviderError) as caught:
        api.read("list", "/a")
    assert caught.value.retry_after_s == LONGEST_ASKED == 3600.0
    clock.now += LONGEST_ASKED - 1
    with pytest.raises(ProviderError, match="asked to wait"):
        api.read("list", "/a")
    clock.now += 2
    assert api.read("list", "/a") == {"path": "/a"}
