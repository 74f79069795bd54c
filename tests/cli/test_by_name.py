"""A box of an account by the name that the list has: verbs know it, and say how old it is."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Boxtop
from tests.cli.runs import copy_run, live_run
from tests.conftest import MakeServer, introduce
from tests.providers.conftest import served
from tests.providers.fake_http import HTML_503, KEY
from tests.providers.fake_vast import STOPPED, FakeVast, row
from tests.sshd import SshServer
from tui.cli.reaching import box_to_act_on
from tui.cli.session import Session

Arguments = list[object]
pytestmark = [
    pytest.mark.sshd,
    pytest.mark.skipif(os.getuid() != 0, reason="instances are reached as root"),
]


@pytest.fixture
def server(make_sshd: MakeServer, home: Path) -> SshServer:
    """A box that the user knows, with a training and a finished run."""
    found = make_sshd()
    introduce(found, home)
    live_run(found.home / "runs" / "live")
    copy_run("yolo9t_early", found.home / "runs" / "early")
    return found


@pytest.fixture
def vendor(monkeypatch: pytest.MonkeyPatch, server: SshServer) -> Iterator[FakeVast]:
    """An account with a box that answers, and one that is stopped."""
    ports = {"22/tcp": [{"HostIp": "0.0.0.0", "HostPort": str(server.port)}]}
    for fake in served(FakeVast()):
        monkeypatch.setenv("BOXTOP_VAST_URL", fake.url)
        fake.rows = [
            row(public_ipaddr="127.0.0.1", ports=ports),
            row(id=700002, label="old one", **STOPPED),
        ]
        yield fake


@pytest.fixture
def arguments(tmp_path: Path, vendor: FakeVast) -> Arguments:
    toml = tmp_path / "boxtop.toml"
    toml.write_text(f'[providers.vast]\nkey = "{KEY}"\n')
    toml.chmod(0o600)
    return ["--config", toml, "--data-dir", tmp_path / "data", "--accept-new-host-key"]


def is_down(vendor: FakeVast) -> None:
    vendor.fail(HTML_503, path="/api/v1/instances", times=99)


@pytest.mark.parametrize("word", ["yolo9s", "700001", "vast:700001"])
def test_status_shows_the_box_that_is_called_so(
    boxtop: Boxtop, arguments: Arguments, word: str
) -> None:
    told = boxtop(*arguments, "status", word, "--json")
    (only,) = json.loads(told.out)["boxes"]
    assert told.code == 0
    assert (only["provider"]["id"], only["link"]["state"]) == ("700001", "live")
    assert {run["id"] for run in only["runs"]} == {"live", "early"}


def test_a_run_of_it_is_named_as_of_any_box(boxtop: Boxtop, arguments: Arguments) -> None:
    told = boxtop(*arguments, "status", "yolo9s:early", "--json")
    (only,) = json.loads(told.out)["boxes"]
    assert [run["id"] for run in only["runs"]] == ["early"]


@pytest.mark.parametrize("word", ["old one", "old-one"])
def test_it_is_found_as_its_vendor_writes_it_and_as_the_list_does(
    boxtop: Boxtop, arguments: Arguments, word: str
) -> None:
    (only,) = json.loads(boxtop(*arguments, "status", word, "--json").out)["boxes"]
    assert (only["name"], only["provider"]["id"]) == ("old-one", "700002")


def test_a_name_with_a_dot_is_an_instances_before_it_is_an_address(
    boxtop: Boxtop, arguments: Arguments, vendor: FakeVast
) -> None:
    vendor.rows = [row(label="yolo9.v2", **STOPPED)]
    boxtop(*arguments, "boxes")
    (only,) = json.loads(boxtop(*arguments, "status", "yolo9.v2", "--json").out)["boxes"]
    assert only["provider"]["id"] == "700001"


@pytest.mark.parametrize("word", ["yolo9s", "vast:700001"])
def test_logs_and_charts_ask_where_the_box_is(
    boxtop: Boxtop, arguments: Arguments, word: str
) -> None:
    told = boxtop(*arguments, "logs", f"{word}:live", "-n", 2)
    assert (told.code, told.out) == (0, "line 19\nline 20\n")
    assert boxtop(*arguments, "plot", f"{word}:live", "train/loss").code == 0


@pytest.mark.parametrize("word", ["yolo9s:early", "vast:700001:early", "lab:early"])
def test_weights_are_pulled_from_where_the_provider_says_that_the_box_is(
    boxtop: Boxtop, arguments: Arguments, tmp_path: Path, word: str
) -> None:
    toml = Path(str(arguments[1]))
    toml.write_text(toml.read_text() + '[box.lab]\ninstance = "vast:700001"\n')
    told = boxtop(*arguments, "pull", word, "--to", tmp_path / "here")
    assert told.code == 2 and "early has no checkpoint yet" in told.err, "it was read, live"


def test_a_name_of_the_last_list_is_known_while_no_list_comes(
    boxtop: Boxtop, arguments: Arguments, vendor: FakeVast
) -> None:
    boxtop(*arguments, "boxes")
    kept = Path(str(arguments[3])) / "listings" / "vast.json"
    document = json.loads(kept.read_text())
    kept.write_text(json.dumps({**document, "at": document["at"] - 3 * 3600.0}))
    is_down(vendor)
    told = boxtop(*arguments, "status", "yolo9s")
    assert told.code == 6 and "503" in told.err
    assert "what is shown is 3h00m old" in " ".join(told.out.split())
    told = boxtop(*arguments, "logs", "yolo9s:live", "-n", 1)
    assert (told.code, told.out) == (0, "line 20\n")
    assert "is looked for where it was 3h00m ago" in told.err


@pytest.mark.parametrize("verb", ["pull", "push", "kill"])
def test_what_acts_needs_an_address_of_now(
    boxtop: Boxtop, arguments: Arguments, vendor: FakeVast, server: SshServer, verb: str
) -> None:
    boxtop(*arguments, "boxes")
    is_down(vendor)
    told = boxtop(*arguments, verb, "yolo9s:live")
    assert told.code == 4
    assert "its address is not known now: vast: API error 503" in told.err
    assert f"it was ssh://root@127.0.0.1:{server.port}" in told.err


def test_what_acts_knows_what_the_box_goes_on_costing(arguments: Arguments) -> None:
    session = Session()
    session.config, session.data_dir = str(arguments[1]), str(arguments[3])
    assert box_to_act_on(session, "yolo9s:live").price_per_hour == 3.4828
    toml = Path(str(arguments[1]))
    toml.write_text(toml.read_text() + '[box.lab]\ninstance = "vast:700001"\nprice_per_hour = 2\n')
    session = Session()
    session.config, session.data_dir = str(arguments[1]), str(arguments[3])
    assert box_to_act_on(session, "lab").price_per_hour == 2


def test_a_finish_line_is_bound_to_no_instance_of_an_old_list(
    boxtop: Boxtop, arguments: Arguments, vendor: FakeVast
) -> None:
    boxtop(*arguments, "boxes")
    is_down(vendor)
    told = boxtop(*arguments, "watch", "yolo9s", "--when-done", "stop", "--yes", "yolo9s")
    assert told.code == 6 and "503" in told.err


def test_two_of_one_name_are_none_alone(
    boxtop: Boxtop, arguments: Arguments, vendor: FakeVast
) -> None:
    vendor.rows = [row(**STOPPED), row(id=700003, **STOPPED)]
    told = boxtop(*arguments, "status", "yolo9s")
    assert told.code == 2
    assert "'yolo9s' is 2 instances" in told.err
    assert "vast:700001, vast:700003" in told.err
    names = [box["name"] for box in json.loads(boxtop(*arguments, "boxes", "--json").out)["boxes"]]
    assert names == ["yolo9s-700001", "yolo9s-700003"]
    (only,) = json.loads(boxtop(*arguments, "status", names[1], "--json").out)["boxes"]
    assert (only["name"], only["provider"]["id"]) == (names[1], "700003")


def test_a_name_that_nothing_has_is_a_mistake_and_an_unread_account_is_told(
    boxtop: Boxtop, arguments: Arguments, vendor: FakeVast
) -> None:
    told = boxtop(*arguments, "status", "yolo9")
    assert told.code == 2 and "did you mean yolo9s?" in told.err
    assert boxtop(*arguments, "status", "nosuch").code == 2
    is_down(vendor)
    told = boxtop(*arguments, "status", "nosuch")
    assert told.code == 6
    assert "what vast lists is not known: vast: API error 503" in told.err


def test_the_accounts_are_asked_once_for_name_and_price(
    boxtop: Boxtop, arguments: Arguments, vendor: FakeVast
) -> None:
    boxtop(*arguments, "status", "yolo9s")
    assert vendor.count("GET", "/api/v1/instances") == 1


@pytest.mark.parametrize("word", ["root@127.0.0.1:1", "ssh://127.0.0.1:1", "."])
def test_no_account_is_asked_for_what_is_no_name(
    boxtop: Boxtop, arguments: Arguments, vendor: FakeVast, word: str
) -> None:
    boxtop(*arguments, "logs", word)
    assert vendor.requests == []


def test_names_of_the_last_list_are_completed_and_are_no_mistyped_verbs(
    boxtop: Boxtop,
    arguments: Arguments,
    vendor: FakeVast,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    vendor.rows = [row(label="starter", **STOPPED), row(id=700002, label="old one", **STOPPED)]
    boxtop(*arguments, "boxes")
    asked = len(vendor.requests)
    options = " ".join(map(str, arguments))

    def completed(word: str, verb: str = "status") -> str:
        monkeypatch.setenv("_BOXTOP_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", f"boxtop {options} {verb} {word}")
        monkeypatch.setenv("COMP_CWORD", str(len(arguments) + 2))
        found = boxtop().out
        monkeypatch.delenv("_BOXTOP_COMPLETE")
        return found

    assert completed("st") == "plain,starter\n"
    assert completed("old") == completed("old", "cost") == "plain,old-one\n"
    assert len(vendor.requests) == asked, "nobody is asked at a key press"
    told = boxtop(*arguments, "starter")
    assert told.code == 0 and "vast 700001" in told.out


@pytest.mark.parametrize("verb", [["status"], ["stop", "--yes", "700002"]])
def test_a_name_that_is_the_id_of_another_is_nobody_s_alone(
    boxtop: Boxtop, arguments: Arguments, vendor: FakeVast, verb: list[str]
) -> None:
    vendor.rows = [row(label="700002", **STOPPED), row(id=700002, label="old one", **STOPPED)]
    told = boxtop(*arguments, *verb, "700002")
    assert told.code == 2 and "'700002' is 2 instances" in told.err


def test_what_is_gone_takes_nobody_s_name(
    boxtop: Boxtop, arguments: Arguments, vendor: FakeVast
) -> None:
    vendor.rows = [row(id=5, cur_state="unloaded"), row(**STOPPED)]
    (only,) = json.loads(boxtop(*arguments, "status", "yolo9s", "--json").out)["boxes"]
    assert only["provider"]["id"] == "700001"


def test_two_keys_may_share_a_data_directory(
    boxtop: Boxtop, arguments: Arguments, vendor: FakeVast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither account lacks what the other one lists."""
    boxtop(*arguments, "boxes")
    Path(str(arguments[1])).write_text('[providers.vast]\nkey = "another-key-0123"\n')
    monkeypatch.setattr(vendor, "needs_key", lambda request: False)
    vendor.rows = [row(id=9, label="other", **STOPPED)]
    listed = boxtop(*arguments, "boxes")
    assert "vast 9" in listed.out and "700001" not in listed.out and "gone?" not in listed.out
    is_down(vendor)
    Path(str(arguments[1])).write_text(f'[providers.vast]\nkey = "{KEY}"\n')
    told = boxtop(*arguments, "boxes")
    assert told.code == 6 and "vast 9" not in told.out


@pytest.mark.parametrize("verb", ["stop", "destroy"])
def test_no_instance_of_an_old_list_is_ended_while_the_list_fails(
    boxtop: Boxtop, arguments: Arguments, vendor: FakeVast, verb: str
) -> None:
    """Also where the instance alone could be asked for: the account as a whole is not well."""
    boxtop(*arguments, "boxes")
    is_down(vendor)
    told = boxtop(*arguments, verb, "yolo9s", "--yes", "yolo9s", "--lose-weights")
    assert told.code == 6 and "503" in told.err and "nothing was sent" in told.err
