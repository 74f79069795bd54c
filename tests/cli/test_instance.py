"""boxtop stop, start and destroy, as a person and as a script call them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Boxtop
from tests.cli.ending import ID, journal, make_run
from tests.cli.ending import fake as fake
from tests.cli.ending import lab as lab
from tests.cli.ending import words as words
from tests.cli.terminal import terminal
from tests.hub import hub_fixture  # noqa: F401
from tests.hub.server import Hub
from tests.providers.fake_http import HTML_503, Canned
from tests.providers.fake_vast import STOPPED, FakeVast, row
from tests.sshd import SshServer


@pytest.mark.sshd
def test_a_script_stops_a_box_and_starts_it_again(
    boxtop: Boxtop, fake: FakeVast, lab: Path, words: tuple[object, ...], tmp_path: Path
) -> None:
    make_run(lab)
    fake.allow("stop", ID)
    called = boxtop("stop", *words, "lab", "--yes", "lab")
    assert called.code == 0, called.err
    assert "stop lab (vast 700001)" in called.err and "run1 survives the stop" in called.err
    assert "lab (vast 700001) is stopped: vast's list says so" in called.out
    again = boxtop("stop", *words, "lab", "--yes", "lab")
    assert again.code == 0 and "is stopped already; nothing was sent" in again.err
    fake.allow("start", ID)
    started = boxtop("start", *words, "lab", "--yes", ID)
    assert started.code == 0, started.err
    assert "lab (vast 700001) runs" in started.out
    assert [line["outcome"] for line in journal(tmp_path)] == ["asked", "done"] * 2


@pytest.mark.sshd
def test_the_bill_goes_by_the_stopped_price_from_the_stop_on(
    boxtop: Boxtop, fake: FakeVast, lab: Path, words: tuple[object, ...], tmp_path: Path
) -> None:
    fake.allow("stop", ID)
    assert boxtop("stop", *words, "lab", "--yes", "lab").code == 0
    book = json.loads((tmp_path / "data" / "spending.json").read_text())
    assert book["marks"]["vast:700001"]["usd_per_hour"] == pytest.approx(0.0694444)


@pytest.mark.sshd
def test_unsaved_weights_refuse_a_destroy_with_5_until_they_are_said_to_be_lost(
    boxtop: Boxtop, fake: FakeVast, lab: Path, words: tuple[object, ...], tmp_path: Path
) -> None:
    make_run(lab)
    called = boxtop("destroy", *words, "lab", "--yes", "lab")
    assert called.code == 5
    assert "run1: best.pt" in called.err and "is saved nowhere" in called.err
    assert "the gate refuses to destroy it" in called.err and "--lose-weights" in called.err
    other = boxtop("destroy", *words, "lab", "--yes", "lba", "--lose-weights")
    assert other.code == 2 and "--yes names 'lba', and this is lab" in other.err
    assert not (tmp_path / "data" / "journal.jsonl").exists()
    fake.allow("destroy", ID)
    called = boxtop("destroy", *words, "lab", "--yes", "lab", "--lose-weights")
    assert called.code == 0, called.err
    assert "lab (vast 700001) is gone: vast's list says so" in called.out
    asked = journal(tmp_path)[0]["asked"]
    assert isinstance(asked, dict)
    assert asked["override"] == "lab" and len(asked["gate"]["refusals"]) == 2
    gone = boxtop("destroy", *words, f"vast:{ID}", "--yes", ID)
    assert gone.code == 0 and "lists no such instance; nothing was sent" in gone.err


@pytest.mark.sshd
def test_a_person_types_the_name_below_what_is_lost(
    fake: FakeVast, lab: Path, words: tuple[object, ...]
) -> None:
    make_run(lab)
    with terminal("destroy", *words, "yolo9s") as shown:
        shown.wait_for("Type lab to destroy it and lose this:")
        shown.press("y\n")
        assert shown.end() == 5
        assert "nothing was sent: lab (vast 700001) stays as it is" in shown.shown
    fake.allow("destroy", ID)
    with terminal("destroy", *words, "yolo9s") as shown:
        shown.wait_for("Type lab to destroy it and lose this:")
        shown.press("lab\n")
        assert shown.end() == 0
        assert "is gone: vast's list says so" in shown.shown


@pytest.mark.sshd
def test_what_is_written_while_a_person_thinks_is_not_lost(
    fake: FakeVast, lab: Path, words: tuple[object, ...]
) -> None:
    with terminal("destroy", *words, "lab") as shown:
        shown.wait_for("Type lab to destroy it:")
        assert "no weights were found that could be lost" in shown.shown
        make_run(lab)
        shown.press("lab\n")
        assert shown.end() == 5
        assert "2 things stand against a destroy" in shown.shown


@pytest.mark.sshd
def test_weights_at_another_address_than_the_providers_prove_nothing(
    boxtop: Boxtop,
    fake: FakeVast,
    lab: Path,
    words: tuple[object, ...],
    ssh_box: SshServer,
    tmp_path: Path,
) -> None:
    elsewhere = {"22/tcp": [{"HostPort": "1"}]}
    fake.rows = [row(public_ipaddr="127.0.0.1", ports=elsewhere, ssh_host=None)]
    Path(str(words[1])).write_text(
        f'[providers.vast]\nenabled = true\n[box.lab]\nssh = "{ssh_box.text}"\n'
        f'instance = "vast:{ID}"\nruns = ["{lab}"]\n'
    )
    called = boxtop("destroy", *words, "lab", "--yes", "lab")
    assert called.code == 5
    assert "cannot check lab" in called.err


@pytest.mark.sshd
def test_pushed_weights_let_a_script_destroy_the_box(
    boxtop: Boxtop,
    fake: FakeVast,
    lab: Path,
    words: tuple[object, ...],
    hub: Hub,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HF_TOKEN", hub.token)
    make_run(lab)
    pushed = boxtop("push", *words, "lab:run1", "--to", "my-org/run1", "--via", "here", "--yes")
    assert pushed.code == 0, pushed.err
    fake.allow("destroy", ID)
    called = boxtop("destroy", *words, "lab", "--yes", "lab")
    assert called.code == 0, called.err
    assert "run1: best.pt" in called.err and "is saved at hf://my-org/run1" in called.err
    asked = journal(tmp_path)[0]["asked"]
    assert isinstance(asked, dict)
    assert asked["override"] is None and len(asked["gate"]["proven"]) == 2


@pytest.mark.sshd
def test_a_run_that_no_root_leads_to_is_saved_by_its_path(
    boxtop: Boxtop,
    fake: FakeVast,
    lab: Path,
    words: tuple[object, ...],
    ssh_box: SshServer,
    hub: Hub,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.setenv("HF_TOKEN", hub.token)
    project = ssh_box.home / "LibreYOLO"
    request.addfinalizer(lambda: shutil.rmtree(project))
    run = make_run(project / "runs" / "detect", "exp")
    called = boxtop("destroy", *words, "lab", "--yes", "lab")
    assert called.code == 5
    assert "exp: best.pt" in called.err and "is saved nowhere" in called.err
    target = f"{ssh_box.text}{run}"
    pushed = boxtop("push", *words, target, "--to", "my-org/exp", "--via", "here", "--yes")
    assert pushed.code == 0, pushed.err
    fake.allow("destroy", ID)
    called = boxtop("destroy", *words, "lab", "--yes", "lab")
    assert called.code == 0, called.err


@pytest.mark.sshd
def test_an_address_of_boxtop_toml_that_another_instance_has_now_proves_nothing(
    boxtop: Boxtop,
    fake: FakeVast,
    lab: Path,
    words: tuple[object, ...],
    ssh_box: SshServer,
) -> None:
    here = fake.rows[0]
    here["id"] = 9
    fake.rows.append(row(ports=None, ssh_host=None, public_ipaddr=None))
    Path(str(words[1])).write_text(
        f'[providers.vast]\nenabled = true\n[box.lab]\nssh = "{ssh_box.text}"\n'
        f'instance = "vast:{ID}"\nruns = ["{lab}"]\n'
    )
    called = boxtop("destroy", *words, "lab", "--yes", "lab")
    assert called.code == 5
    assert "cannot check lab: no way in: it runs, but has no address yet" in called.err


def test_a_stopped_instance_cannot_be_checked(
    boxtop: Boxtop, fake: FakeVast, words: tuple[object, ...]
) -> None:
    fake.rows[0].update(STOPPED)
    called = boxtop("destroy", *words, "yolo9s", "--yes", "yolo9s")
    assert called.code == 5
    assert "cannot check yolo9s: it is stopped" in called.err


def test_the_provider_refuses_with_6(
    boxtop: Boxtop, fake: FakeVast, words: tuple[object, ...]
) -> None:
    fake.rows[0].update(STOPPED)
    fake.fail(Canned(403, {"error": "forbidden", "msg": "\x1b[31mno scope"}), "PUT")
    fake.allow("start", ID)
    called = boxtop("start", *words, "yolo9s", "--yes", "yolo9s")
    assert called.code == 6
    assert "was NOT started: vast: API error 403: no scope" in called.out
    assert "\x1b" not in called.out + called.err
    fake.gpu_taken = True
    fake.allow("start", ID)
    queued = boxtop("start", *words, "yolo9s", "--yes", "yolo9s")
    assert queued.code == 6 and "it waits for a GPU" in queued.out
    fake.fail(HTML_503, times=9)
    unread = boxtop("stop", *words, "yolo9s", "--yes", "yolo9s")
    assert unread.code == 6 and "API error 503" in unread.err
    assert "nothing was sent" in unread.err


def test_a_script_must_say_yes_and_read_only_forbids_all(
    boxtop: Boxtop, fake: FakeVast, words: tuple[object, ...]
) -> None:
    for verb in ("stop", "start", "destroy"):
        silent = boxtop(verb, *words, "yolo9s")
        assert silent.code == 2 and f"add --yes NAME to {verb} it" in silent.err
        forbidden = boxtop("--read-only", verb, *words, "yolo9s", "--yes", "yolo9s")
        assert forbidden.code == 2 and f"--read-only forbids {verb}" in forbidden.err
    assert fake.requests == []
