"""Which instance a word means, and who can end it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Boxtop
from tests.cli.ending import ID, desk
from tests.cli.ending import fake as fake
from tests.cli.ending import lab as lab
from tests.cli.ending import words as words
from tests.providers.conftest import served
from tests.providers.fake_http import HTML_503, KEY, Canned
from tests.providers.fake_lambda import FakeLambda
from tests.providers.fake_runpod import STOPPED as EXITED
from tests.providers.fake_runpod import FakeRunPod, pod
from tests.providers.fake_vast import STOPPED, FakeVast, row
from tui.actions import instance
from tui.actions.instance_confirm import Patience


def test_who_is_not_known_or_not_alone_is_not_guessed(
    boxtop: Boxtop, fake: FakeVast, words: tuple[object, ...]
) -> None:
    fake.rows = [row(), row(id=9), row(id=10, label="other")]
    twice = boxtop("stop", *words, "yolo9s", "--yes", "yolo9s")
    assert twice.code == 2
    assert "'yolo9s' is 2 instances" in twice.err and "(vast:9)" in twice.err
    nobody = boxtop("stop", *words, "yolo9t", "--yes", "yolo9t")
    assert nobody.code == 2 and "did you mean yolo9s?" in nobody.err
    wrong = boxtop("stop", *words, "other", "--yes", "yolo9s")
    assert wrong.code == 2 and "--yes names 'yolo9s', and this is other (vast 10)" in wrong.err
    missing = boxtop("stop", *words, "vast:1", "--yes", "1")
    assert missing.code == 2 and "lists no such instance" in missing.err


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody wait long for a list that confirms."""
    short = Patience(first=0.1, longest=0.2, stop=0.5, start=0.5, destroy=0.5)
    monkeypatch.setattr(instance, "Patience", lambda: short)


def test_a_name_that_two_accounts_have_is_nobodys(
    boxtop: Boxtop, fake: FakeVast, words: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    config, fault = Path(str(words[1])), Canned(429, b"slow down", {"Retry-After": "600"})
    config.write_text("[providers.vast]\nenabled = true\n[providers.lambda]\nenabled = true\n")
    fake.rows = [row(label="yolo")]
    fake.allow("stop", ID)
    for other in served(FakeLambda()):
        monkeypatch.setenv("BOXTOP_LAMBDA_URL", other.url)
        monkeypatch.setenv("LAMBDA_API_KEY", KEY)
        other.fail(HTML_503, path="/instances", times=3)
        unknown = boxtop("stop", *words, "yolo", "--yes", "yolo")
        assert unknown.code == 6 and "'yolo' may be at lambda, too" in unknown.err
        assert f"name it as vast:{ID}" in unknown.err
        fake._faults.clear(), other._faults.clear()
        boxtop("boxes", *words)
        for unread in (None, other, fake):
            if unread is not None:
                unread.fail(fault if unread is fake else HTML_503, path="/instances", times=3)
            twice = boxtop("stop", *words, "yolo", "--yes", "yolo")
            assert twice.code == 2, (unread, twice.err)
            assert "'yolo' is 2 instances" in twice.err
            assert f"yolo (vast:{ID})" in twice.err and "yolo (lambda:0a1b)" in twice.err
            fake._faults.clear(), other._faults.clear()
        fake.rows = [row(label="yo lo")]
        other.rows[0]["name"] = "yo-lo"
        alike = boxtop("stop", *words, "yo-lo", "--yes", "yo-lo")
        assert alike.code == 2 and "'yo-lo' is 2 instances" in alike.err
        other.fail(HTML_503, path="/instances", times=3)
        stopped = boxtop("stop", *words, f"vast:{ID}", "--yes", ID)
        assert stopped.code == 0, stopped.err


@pytest.mark.usefixtures("hurried")
def test_a_name_is_known_while_no_list_comes_and_acted_on_by_what_is_told_now(
    boxtop: Boxtop, fake: FakeVast, words: tuple[object, ...]
) -> None:
    def slow_down() -> None:
        fake._faults.clear()
        fake.fail(Canned(429, b"slow down", {"Retry-After": "600"}), path="/api/v1/instances")

    slow_down()
    never = boxtop("start", *words, "yolo9s", "--yes", "yolo9s")
    assert never.code == 6 and "'yolo9s' is in no list that could be read" in never.err
    boxtop("boxes", *words)
    fake.rows[0].update(STOPPED)
    slow_down()
    fake.allow("start", ID)
    started = boxtop("start", *words, "yolo9s", "--yes", "yolo9s")
    assert "vast tells no list now" in started.err and f"this is vast:{ID}" in started.err
    assert "it bills from then on: $3.48/h" in started.err
    assert fake.ledger == [("start", ID)], started.err
    fake.rows[0]["label"] = "somebody-elses"
    slow_down()
    other = boxtop("destroy", *words, "yolo9s", "--yes", "yolo9s", "--lose-weights")
    assert other.code == 6 and "'yolo9s' is in no list that could be read" in other.err
    fake.rows = []
    slow_down()
    gone = boxtop("destroy", *words, "yolo9s", "--yes", "yolo9s", "--lose-weights")
    assert gone.code == 6 and "'yolo9s' is in no list that could be read" in gone.err


@pytest.mark.usefixtures("hurried")
def test_a_stopped_pod_has_the_price_that_it_had_while_it_ran(
    boxtop: Boxtop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    config = tmp_path / "boxtop.toml"
    config.write_text("[providers.runpod]\nenabled = true\n")
    words = ("--config", config, "--data-dir", tmp_path / "data")
    monkeypatch.setenv("RUNPOD_API_KEY", KEY)
    for vendor in served(FakeRunPod()):
        monkeypatch.setenv("BOXTOP_RUNPOD_URL", vendor.url)
        boxtop("boxes", *words)
        vendor.pods = [pod(**EXITED)]
        vendor.allow("start", "abc123pod")
        vendor.allow("start", "abc123pod")
        for slow in (False, True):
            vendor.pods = [pod(**EXITED)]
            if slow:
                vendor.fail(Canned(429, b"slow", {"Retry-After": "600"}), path="/v2/pods")
            started = boxtop("start", *words, "yolo", "--yes", "yolo")
            assert "it bills from then on: $0.69/h" in started.err, started.err


def test_a_price_of_its_own_makes_no_box_nobodys(
    boxtop: Boxtop, words: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOXTOP_VAST_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("VAST_API_KEY", KEY)
    config = Path(str(words[1]))
    lab = '[box.lab]\nssh = "root@127.0.0.1:9"\nprice_per_hour = 2\n'
    config.write_text(f"[providers.vast]\nenabled = true\n{lab}")
    unread = boxtop("stop", *words, "lab", "--yes", "lab")
    assert unread.code == 6 and "has no stop" not in unread.err
    assert "who rents lab out is not known: vast" in unread.err
    monkeypatch.delenv("VAST_API_KEY")
    keyless = boxtop("stop", *words, "lab", "--yes", "lab")
    assert keyless.code == 6 and "VAST_API_KEY" in keyless.err
    config.write_text(lab)
    alone = boxtop("stop", *words, "lab", "--yes", "lab")
    assert alone.code == 2 and "lab (command lab) has no stop" in alone.err


def test_lambda_has_no_stop(
    boxtop: Boxtop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    config = tmp_path / "boxtop.toml"
    config.write_text("[providers.lambda]\nenabled = true\n")
    for vendor in served(FakeLambda()):
        monkeypatch.setenv("BOXTOP_LAMBDA_URL", vendor.url)
        monkeypatch.setenv("LAMBDA_API_KEY", KEY)
        words = ("--config", config, "--data-dir", tmp_path / "data")
        called = boxtop("stop", *words, "yolo", "--yes", "yolo")
        assert called.code == 2
        assert (
            "yolo (lambda 0a1b) has no stop" in called.err and "until it is destroyed" in called.err
        )


def test_without_a_provider_the_next_step_is_named(boxtop: Boxtop, tmp_path: Path) -> None:
    config = tmp_path / "boxtop.toml"
    config.write_text('[box.lab]\nssh = "root@203.0.113.7"\n')
    called = boxtop("stop", "--config", config, "x", "--yes", "x")
    assert called.code == 2 and "no provider is in use" in called.err
    called = boxtop("stop", "--config", config, "lab", "--yes", "lab")
    assert called.code == 2 and "nobody knows who rents lab out" in called.err


def test_a_box_with_commands_of_its_own(boxtop: Boxtop, tmp_path: Path) -> None:
    state = tmp_path / "state"
    words = desk(
        tmp_path,
        state=f"cat {state}",
        stop=f"echo stopped > {state}",
        start=f"echo running > {state}",
        destroy="echo no permission >&2; exit 3",
    )
    assert boxtop("stop", *words, "desk", "--yes", "desk").code == 0
    assert state.read_text() == "stopped\n"
    started = boxtop("start", *words, "desk", "--yes", "desk")
    assert started.code == 0 and "desk (command desk) runs" in started.out
    refused = boxtop("destroy", *words, "desk", "--yes", "desk")
    assert refused.code == 6
    said = " ".join(refused.out.split())
    assert "was NOT destroyed: its destroy command failed (3): no permission" in said


def test_a_box_that_cannot_tell_its_state_is_never_called_stopped(
    boxtop: Boxtop, tmp_path: Path
) -> None:
    words = desk(tmp_path, stop="true")
    called = boxtop("stop", *words, "desk", "--yes", "desk")
    assert called.code == 6
    assert "nothing tells its state" in called.out and "a state command" in called.out
    missing = boxtop("start", *words, "desk", "--yes", "desk")
    assert missing.code == 2 and "desk (command desk) has no start" in missing.err
