"""Boxes of an account on loopback, as the verbs show them."""

from __future__ import annotations

import json
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.account import arguments as arguments
from tests.cli.account import vendor as vendor
from tests.cli.conftest import Boxtop
from tests.providers.fake_http import HTML_503, KEY, Canned, Request
from tests.providers.fake_vast import STOPPED, FakeVast
from tui.boxes import Box, SshTarget
from tui.rent import RentView
from tui.runs.mirrors import Mirrors
from tui.watch.fleet import box_mirror


def test_boxes_lists_what_nobody_configured(boxtop: Boxtop, arguments: list[object]) -> None:
    told = boxtop(*arguments, "boxes")
    assert told.code == 0
    assert "vast 700001" in told.out and "bills $3.48/h" in told.out
    assert "stopped (exited)" in told.out
    assert "all together: $3.55/h now (compute and disk only)" in told.out
    assert "credit lasts 7h02m ($25.00 at $3.55/h)" in told.out


def test_boxes_as_json_has_each_rate_with_its_source(
    boxtop: Boxtop, arguments: list[object]
) -> None:
    document = json.loads(boxtop(*arguments, "boxes", "--json").out)
    first, second = document["boxes"]
    assert first["provider"]["rate_now"] == {"usd_per_hour": 3.4828, "source": "reported"}
    assert first["provider"]["id"] == "700001"
    assert first["address"] == "127.0.0.199:41022"
    assert second["provider"]["state"] == "stopped"
    assert second["address"] is None


def test_status_tells_the_provider_of_every_box(boxtop: Boxtop, arguments: list[object]) -> None:
    told = boxtop(*arguments, "status", "--json")
    assert told.code == 4, "the running box cannot be reached"
    first, second = json.loads(told.out)["boxes"]
    assert first["provider"]["runway_s"] > 25_000
    assert first["provider"]["credit"] == 25.0
    assert first["link"]["state"] == "offline"
    assert "it is stopped" in second["link"]["error"]


def test_a_box_that_is_known_to_be_stopped_is_no_trouble(
    boxtop: Boxtop, arguments: list[object], vendor: FakeVast
) -> None:
    vendor.rows = vendor.rows[1:]
    assert boxtop(*arguments, "status").code == 0


def test_what_cannot_be_reached_and_bills_is_said(boxtop: Boxtop, arguments: list[object]) -> None:
    told = boxtop(*arguments, "status")
    assert "not reached, and still bills $3.48/h (vast: running)" in told.out


def test_a_box_is_named_by_its_instance(boxtop: Boxtop, arguments: list[object]) -> None:
    told = boxtop(*arguments, "status", "vast:700002", "--json")
    (only,) = json.loads(told.out)["boxes"]
    assert (only["name"], only["provider"]["state"]) == ("vast:700002", "stopped")


def test_a_box_of_the_configuration_that_is_an_instance_has_its_own_name(
    boxtop: Boxtop, arguments: list[object]
) -> None:
    toml = Path(str(arguments[1]))
    toml.write_text(toml.read_text() + '[box.lab]\ninstance = "vast:700002"\n')
    names = [box["name"] for box in json.loads(boxtop(*arguments, "boxes", "--json").out)["boxes"]]
    assert names == ["lab", "yolo9s"]


def test_an_account_that_cannot_be_read_is_never_an_empty_one(
    boxtop: Boxtop, arguments: list[object], vendor: FakeVast
) -> None:
    vendor.fail(HTML_503, path="/api/v1/instances", times=20)
    for word in ("status", "boxes"):
        told = boxtop(*arguments, word)
        assert told.code == 6
        assert "503" in told.err
        assert "no boxes" not in told.out + told.err
        assert "what vast may hold could not be read" in told.out


@pytest.mark.parametrize("word", ["boxes", "status"])
def test_an_account_that_holds_nothing_is_well(
    boxtop: Boxtop, arguments: list[object], vendor: FakeVast, word: str
) -> None:
    vendor.rows = []
    told = boxtop(*arguments, word)
    assert (told.code, told.err) == (0, "")
    assert told.out == "no boxes: boxtop.toml names none, and vast lists no instance\n"
    document = boxtop(*arguments, word, "--json")
    assert (document.code, json.loads(document.out)["boxes"]) == (0, [])


@pytest.mark.parametrize("word", ["boxes", "status"])
def test_where_no_list_comes_the_last_one_is_told_with_its_age(
    boxtop: Boxtop, arguments: list[object], vendor: FakeVast, word: str
) -> None:
    boxtop(*arguments, "boxes")
    kept = Path(str(arguments[3])) / "listings" / "vast.json"
    document = json.loads(kept.read_text())
    kept.write_text(json.dumps({**document, "at": document["at"] - 3 * 3600.0}))
    vendor.fail(HTML_503, path="/api/v1/instances", times=99)
    told = boxtop(*arguments, word)
    assert told.code in (4, 6) and "503" in told.err
    out = " ".join(told.out.split())
    assert "vast 700001" in out and "bills $3.48/h" in out
    assert "vast 700002" in out and "what is shown is 3h00m old" in out
    first, second = json.loads(boxtop(*arguments, word, "--json").out)["boxes"]
    assert first["provider"]["rate_now"] == {"usd_per_hour": 3.4828, "source": "reported"}
    assert 3 * 3600 <= first["provider"]["age_s"] < 4 * 3600
    assert second["provider"]["state"] == "stopped"


def test_one_list_that_lacks_a_box_does_not_make_it_gone(
    boxtop: Boxtop, arguments: list[object], vendor: FakeVast
) -> None:
    rows = vendor.rows

    def states() -> dict[str, str]:
        boxes = json.loads(boxtop(*arguments, "boxes", "--json").out)["boxes"]
        return {
            box["name"]: "gone?" if box["provider"]["gone_maybe"] else box["provider"]["state"]
            for box in boxes
        }

    assert states() == {"yolo9s": "running", "old-one": "stopped"}
    vendor.rows = rows[1:]
    assert states() == {"yolo9s": "gone?", "old-one": "stopped"}
    assert states() == {"old-one": "stopped"}
    vendor.rows = rows
    assert states() == {"old-one": "stopped", "yolo9s": "running"}


def test_a_provider_without_a_key_names_the_places(
    boxtop: Boxtop, arguments: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VAST_API_KEY", raising=False)
    Path(str(arguments[1])).write_text("[providers.vast]\nenabled = true\n")
    told = boxtop(*arguments, "boxes")
    assert told.code == 6
    assert "VAST_API_KEY" in told.err


@pytest.mark.parametrize("word", ["boxes", "status"])
def test_a_provider_without_a_key_is_shown_as_it_was_with_its_age(
    boxtop: Boxtop, arguments: list[object], monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    boxtop(*arguments, "boxes")
    kept = Path(str(arguments[3])) / "listings" / "vast.json"
    document = json.loads(kept.read_text())
    kept.write_text(json.dumps({**document, "at": document["at"] - 3 * 3600.0}))
    monkeypatch.delenv("VAST_API_KEY", raising=False)
    Path(str(arguments[1])).write_text("[providers.vast]\nenabled = true\n")
    told = boxtop(*arguments, word)
    out = " ".join(told.out.split())
    assert told.code in (4, 6) and told.err.count("there is no key for vast") == 1
    assert "vast 700001" in out and "bills $3.48/h" in out
    assert "what is shown is 3h00m old" in out
    first, _ = json.loads(boxtop(*arguments, word, "--json").out)["boxes"]
    assert 3 * 3600 <= first["provider"]["age_s"] < 4 * 3600
    assert "there is no key for vast" in first["provider"]["error"]
    stopped = boxtop(*arguments, "stop", "yolo9s", "--yes", "yolo9s")
    assert stopped.code == 6 and "nothing was sent" in stopped.err, stopped.err


def test_what_is_assumed_and_warned_of_is_in_the_json(
    boxtop: Boxtop, arguments: list[object], vendor: FakeVast
) -> None:
    vendor.rows[0].update(actual_status="hovering", instance=None)
    for word in ("boxes", "status"):
        first, second = json.loads(boxtop(*arguments, word, "--json").out)["boxes"]
        assert first["provider"]["rate_assumed"] is True
        assert any("hovering" in line for line in first["provider"]["warnings"])
        assert second["provider"]["rate_assumed"] is False
        assert second["provider"]["warnings"] == []


def test_a_directory_of_this_machine_asks_nobody(
    boxtop: Boxtop, arguments: list[object], vendor: FakeVast, tmp_path: Path
) -> None:
    boxtop(*arguments, "status", tmp_path)
    assert vendor.requests == []


def test_no_key_is_ever_shown(boxtop: Boxtop, arguments: list[object], vendor: FakeVast) -> None:
    vendor.fail(HTML_503, path="/api/v1/instances", times=20)
    for words in (["boxes"], ["status"], ["boxes", "--json"]):
        told = boxtop(*arguments, *words)
        assert KEY not in told.out + told.err


@pytest.fixture
def unheard(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let Vast's address take every connection, and never say a word."""
    with socket.create_server(("127.0.0.1", 0), backlog=50) as server:
        monkeypatch.setenv("BOXTOP_VAST_URL", f"http://127.0.0.1:{server.getsockname()[1]}")
        monkeypatch.setenv("VAST_API_KEY", KEY)
        yield


@pytest.mark.usefixtures("unheard")
@pytest.mark.parametrize(
    "words", [("stop", "desk", "--yes", "desk"), ("cost", "desk"), ("status", "desk")]
)
def test_a_provider_that_is_not_needed_holds_nothing_up(
    boxtop: Boxtop, arguments: list[object], tmp_path: Path, words: tuple[str, ...]
) -> None:
    state, toml = tmp_path / "state", Path(str(arguments[1]))
    state.write_text("running")
    toml.write_text(
        toml.read_text() + f'[box.desk]\nssh = "root@127.0.0.1:9"\nstop_keeps = ["/"]\n'
        f'state = "cat {state}"\nstop = "echo stopped > {state}"\n'
    )
    began = time.monotonic()
    told = boxtop(*arguments, *words)
    assert time.monotonic() - began < 15.0, "an answer of Vast is waited for 15 s, three times"
    assert told.code in (0, 4) and "vast" not in told.err, told.err


def test_a_box_by_its_address_is_known_when_it_is_off_and_when_no_list_comes(
    boxtop: Boxtop, arguments: list[object], vendor: FakeVast, tmp_path: Path
) -> None:
    toml = Path(str(arguments[1]))
    toml.write_text(toml.read_text() + '[box.lab]\nssh = "root@127.0.0.199 -p 41022"\n')
    own = Box("lab", "lab", SshTarget("127.0.0.199", "root", 41022), mirror="lab")
    mirror = box_mirror(Mirrors(tmp_path / "data"), own)
    mirror.meta.rent = RentView("vast", "700001", "yolo9s", "running")
    mirror.save()

    def provider() -> tuple[int, dict[str, object]]:
        told = boxtop(*arguments, "status", "lab", "--json")
        (box,) = json.loads(told.out)["boxes"]
        return told.code, box["provider"]

    vendor.rows[0].update(STOPPED)
    code, found = provider()
    assert (code, found["id"], found["state"]) == (0, "700001", "stopped")
    vendor.fail(HTML_503, path="/api/v1/instances", times=3)
    code, found = provider()
    assert (code, found["id"], found["state"]) == (4, "700001", "stopped")
    assert "503" in str(found["error"])
    shutil.rmtree(tmp_path / "data" / "listings")
    vendor.fail(HTML_503, path="/api/v1/instances", times=3)
    code, found = provider()
    assert (code, found["id"], found["state"]) == (4, "700001", "unknown")


def test_an_instance_that_two_boxes_are_is_paid_once(
    boxtop: Boxtop, arguments: list[object], vendor: FakeVast
) -> None:
    toml = Path(str(arguments[1]))
    toml.write_text(
        toml.read_text() + '[box.a]\ninstance = "vast:700001"\n[box.b]\ninstance = "vast:700001"\n'
    )
    assert "all together: $3.55/h now" in boxtop(*arguments, "boxes").out
    vendor.rows = vendor.rows[:1]
    for _ in range(2):
        told = boxtop(*arguments, "boxes")
    assert "all together" not in told.out


def test_a_credit_that_the_key_may_not_read_is_said_to_be_unknown(
    boxtop: Boxtop, arguments: list[object], vendor: FakeVast
) -> None:
    vendor.fail(Canned(403, {"msg": "needs user_read"}), path="/users/current")
    told = " ".join(boxtop(*arguments, "boxes").out.split())
    assert "how long the credit lasts cannot be told: it cannot be read" in told
    assert "needs user_read" in told


@pytest.mark.parametrize("words", [[], ["vast:700002"], ["old-one"]])
def test_who_names_a_time_waits_no_longer_for_a_silent_account(
    boxtop: Boxtop,
    arguments: list[object],
    vendor: FakeVast,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
) -> None:
    boxtop(*arguments, "boxes")
    go_on, answer = threading.Event(), vendor.answer

    def silent(request: Request) -> Canned:
        go_on.wait(60)
        return answer(request)

    monkeypatch.setattr(vendor, "answer", silent)
    told = boxtop(*arguments, "status", *words, "--timeout", "0.5")
    assert not go_on.is_set()
    go_on.set()
    assert told.code in (4, 6) and "vast has not answered in time" in told.err
    assert "vast 700002  stopped" in told.out
