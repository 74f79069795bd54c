"""Alerts arrive: at a webhook and at ntfy on real sockets."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path

import pytest

from tests.alerts.listener import Listener, listening
from tui.alerts.apprise_channel import AppriseChannel
from tui.alerts.channel import Channel
from tui.alerts.channels import channels_of
from tui.alerts.event import event, message_of, trial
from tui.alerts.urls import address_of

NOW = 1_796_004_000.0
MESSAGE = message_of(
    [
        event("dead", "lab", "run1", "lab run1 is dead: killed; lab still bills $3.48/h", NOW),
        event("new_best", "lab", "läuft", "lab läuft has a new best: mAP50 0.5", NOW + 1),
    ],
    NOW + 2,
)


def channel(url: str) -> Channel:
    (found,) = channels_of([url])
    return found


def test_a_webhook_gets_json_for_people_and_programs(listener: Listener) -> None:
    answer = channel(f"http://{listener.place}/hook?key=1").send(MESSAGE)
    assert answer.ok and answer.text == "taken (200)"
    (taken,) = listener.taken
    assert taken.path == "/hook?key=1"
    assert taken.headers["content-type"] == "application/json"
    assert taken.body["schema_version"] == 1
    assert taken.body["text"].splitlines()[0] == "boxtop: 2 alerts: 1 dead, 1 new best"
    assert taken.body["content"] == taken.body["text"]
    assert taken.body["events"][0] == {
        "kind": "dead",
        "box": "lab",
        "run": "run1",
        "text": "lab run1 is dead: killed; lab still bills $3.48/h",
        "at": "2026-11-30T02:00:00+00:00",
    }


def test_a_run_by_an_odd_name_calls_nobody(listener: Listener) -> None:
    text = "lab @everyone <!channel> <@U1> root@203.0.113.7 failed"
    channel(f"http://{listener.place}/").send(
        message_of([event("dead", "lab", "x", text, NOW)], NOW)
    )
    body = listener.taken[0].body
    assert "@everyone" not in body["text"] and "<!" not in body["text"] and "<@" not in body["text"]
    assert "root@203.0.113.7" in body["text"]
    assert body["allowed_mentions"] == {"parse": []}


def test_ntfy_gets_topic_title_and_message_in_any_script(listener: Listener) -> None:
    assert channel(f"ntfy://{listener.place}/My-Topic").send(MESSAGE).ok
    (taken,) = listener.taken
    assert taken.path == "/"
    assert taken.body == {
        "topic": "My-Topic",
        "title": "boxtop: 2 alerts: 1 dead, 1 new best",
        "message": MESSAGE.text,
        "priority": 4,
        "tags": ["warning"],
    }
    assert "läuft" in taken.body["message"]


@pytest.mark.parametrize(
    ("user", "header"),
    [("me:secret", "Basic bWU6c2VjcmV0"), ("tk_abcdefgh", "Bearer tk_abcdefgh")],
)
def test_credentials_go_into_a_header(listener: Listener, user: str, header: str) -> None:
    assert channel(f"ntfy://{user}@{listener.place}/topic").send(trial(NOW)).ok
    assert listener.taken[0].headers["authorization"] == header


def test_no_redirect_is_followed(listener: Listener) -> None:
    with listening() as elsewhere:
        listener.answer(307, Location=f"http://{elsewhere.place}/steal")
        answer = channel(f"http://me:secret@{listener.place}/hook").send(MESSAGE)
        assert not answer.ok and not answer.heals
        assert answer.text == "307: it moved to 127.0.0.1; write its new address"
        assert elsewhere.taken == []


@pytest.mark.parametrize(
    ("status", "heals"),
    [(400, False), (401, False), (404, False), (408, True), (429, True), (500, True), (503, True)],
)
def test_what_another_try_may_heal_is_known(listener: Listener, status: int, heals: bool) -> None:
    listener.answer(status, json.dumps({"error": "no such topic"}).encode(), Retry_After="17")
    answer = channel(f"ntfy://{listener.place}/abc").send(MESSAGE)
    assert not answer.ok and answer.heals is heals
    assert answer.text == f"{status}: no such topic"
    assert answer.retry_after_s == (17.0 if heals else None)


def test_nothing_of_a_secret_address_is_repeated(listener: Listener) -> None:
    body = b"no hook T0PS3CRET for user me, s3cr3tpw, topic-abc \x1b]0;x\x07"
    for url in (
        f"http://me:s3cr3tpw@{listener.place}/services/T0PS3CRET?topic-abc",
        f"ntfy://me:s3cr3tpw@{listener.place}/topic-abc",
    ):
        listener.answer(403, body)
        text = channel(url).send(MESSAGE).text
        assert "s3cr3tpw" not in text and "topic-abc" not in text and text.isprintable()
    assert "T0PS3CRET" not in channel(f"http://{listener.place}/T0PS3CRET").send(MESSAGE).text


def test_nobody_at_the_other_end_may_heal() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    answer = channel(f"http://127.0.0.1:{port}/secret-hook").send(MESSAGE)
    assert not answer.ok and answer.heals
    assert "does not answer" in answer.text and "secret-hook" not in answer.text


def test_an_endless_answer_ends(listener: Listener) -> None:
    listener.endless = True
    answer = channel(f"http://{listener.place}/").send(MESSAGE)
    assert not answer.ok and answer.text == "its answer does not end"


def test_a_web_page_is_not_shown(listener: Listener) -> None:
    listener.answer(502, b"<html><body>Bad gateway</body></html>")
    assert channel(f"http://{listener.place}/").send(MESSAGE).text == (
        "502: a web page instead of an answer"
    )


def test_a_missing_apprise_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "apprise", None)
    answer = AppriseChannel(address_of("slack://a/b/c")).send(MESSAGE)
    assert answer.text == "needs apprise: pip install 'boxtop[notify]'" and not answer.heals


def test_apprise_sends_where_it_is_installed(
    listener: Listener, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("apprise")
    answer = AppriseChannel(address_of(f"json://{listener.place}/x")).send(MESSAGE)
    assert answer.ok and answer.text == "taken by apprise"
    assert MESSAGE.lines[0] in listener.taken[0].body["message"]
    wrong = AppriseChannel(address_of("nothing://secret-token")).send(MESSAGE)
    assert wrong.text == "apprise does not understand this address"
    listener.answer(500)
    assert AppriseChannel(address_of(f"json://{listener.place}/x")).send(MESSAGE).heals
    seen = capfd.readouterr()
    assert seen.out == "" and seen.err == ""
