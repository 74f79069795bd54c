"""boxtop stop, start and destroy, as a person and as a script call them."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Boxtop
from tests.cli.terminal import terminal
from tests.hub import hub_fixture  # noqa: F401
from tests.hub.server import Hub
from tests.onbox.checkpoints import checkpoint, make_weights, write_status
from tests.providers.conftest import served
from tests.providers.fake_http import HTML_503, KEY, Canned
from tests.providers.fake_lambda import FakeLambda
from tests.providers.fake_runpod import STOPPED as EXITED
from tests.providers.fake_runpod import FakeRunPod, pod
from tests.providers.fake_vast import STOPPED, FakeVast, row
from tests.sshd import SshServer
from tests.waiting import wait_until
from tui.actions import instance
from tui.actions.instance_confirm import Patience

BEST, LAST = checkpoint(20_000, 1), checkpoint(20_000, 2)
ID = "700001"


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeVast]:
    for vendor in served(FakeVast()):
        monkeypatch.setenv("BOXTOP_VAST_URL", vendor.url)
        monkeypatch.setenv("VAST_API_KEY", KEY)
        yield vendor


@pytest.fixture
def words(tmp_path: Path) -> tuple[object, ...]:
    """The options that name this test's configuration and data."""
    config = tmp_path / "boxtop.toml"
    config.write_text("[providers.vast]\nenabled = true\n")
    return ("--config", config, "--data-dir", tmp_path / "data")


@pytest.fixture
def lab(fake: FakeVast, ssh_box: SshServer, words: tuple[object, ...], tmp_path: Path) -> Path:
    """A box "lab" of boxtop.toml whose address is the instance's; returns its runs."""
    port = ssh_box.target.port
    ports = {"22/tcp": [{"HostIp": "0.0.0.0", "HostPort": str(port)}]}
    fake.rows = [row(public_ipaddr="127.0.0.1", ports=ports)]
    runs = tmp_path / "runs"
    runs.mkdir()
    Path(str(words[1])).write_text(
        f'[providers.vast]\nenabled = true\n[box.lab]\nssh = "{ssh_box.text}"\nruns = ["{runs}"]\n'
    )
    return runs


def journal(tmp_path: Path) -> list[dict[str, object]]:
    lines = (tmp_path / "data" / "journal.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def make_run(runs: Path, name: str = "run1") -> Path:
    run = make_weights(runs / name, best=BEST, last=LAST)
    write_status(run, state="completed", pid=None, completed_epochs=9, start_epoch=1)
    return run


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


def test_a_script_must_say_yes_and_read_only_forbids_all(
    boxtop: Boxtop, fake: FakeVast, words: tuple[object, ...]
) -> None:
    for verb in ("stop", "start", "destroy"):
        silent = boxtop(verb, *words, "yolo9s")
        assert silent.code == 2 and f"add --yes NAME to {verb} it" in silent.err
        forbidden = boxtop("--read-only", verb, *words, "yolo9s", "--yes", "yolo9s")
        assert forbidden.code == 2 and f"--read-only forbids {verb}" in forbidden.err
    assert fake.requests == []


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


def desk(tmp_path: Path, **commands: str) -> tuple[object, ...]:
    """A box with commands of its own; its state lies in a file."""
    state = tmp_path / "state"
    state.write_text("running\n")
    lines = [f'{name} = """{command}"""' for name, command in commands.items()]
    config = tmp_path / "boxtop.toml"
    runs = tmp_path / "runs"
    runs.mkdir(exist_ok=True)
    config.write_text("\n".join(["[box.desk]", f'path = "{runs}"', *lines]))
    return ("--config", config, "--data-dir", tmp_path / "data")


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


def test_ctrl_c_says_what_was_sent_and_that_it_goes_on(tmp_path: Path) -> None:
    state = tmp_path / "state"
    words = desk(tmp_path, state=f"cat {state}", stop="true")
    with terminal("stop", *words, "desk", "--yes", "desk") as shown:
        shown.wait_for("the stop was accepted")
        shown.process.send_signal(signal.SIGINT)
        assert shown.end() == 130
        assert "was accepted by command, and goes on without boxtop" in shown.shown
    assert journal(tmp_path)[-1]["outcome"] == "unknown"
    with terminal("stop", *words, "desk") as shown:
        shown.wait_for("Stop it? [y/N]")
        shown.process.send_signal(signal.SIGINT)
        assert shown.end() == 130
    assert len(journal(tmp_path)) == 2


def test_two_processes_do_not_act_on_one_instance(boxtop: Boxtop, tmp_path: Path) -> None:
    state, begun = tmp_path / "state", tmp_path / "begun"
    words = desk(tmp_path, state=f"cat {state}", stop=f"echo >> {begun}; sleep 60 & wait")
    with terminal("stop", *words, "desk", "--yes", "desk") as shown:
        wait_until(begun.exists)
        second = boxtop("stop", *words, "desk", "--yes", "desk")
        assert second.code == 6 and "another action on desk" in second.err
        shown.process.send_signal(signal.SIGINT)
        shown.end()
    assert begun.read_text() == "\n"


def test_keys_that_were_pressed_before_the_question_answer_nothing(tmp_path: Path) -> None:
    state = tmp_path / "state"
    words = desk(tmp_path, state=f"sleep 1; cat {state}", stop=f"echo stopped > {state}")
    with terminal("stop", *words, "desk") as shown:
        shown.press("y\n")
        shown.wait_for("Stop it? [y/N]")
        shown.press("n\n")
        assert shown.end() == 0
    assert state.read_text() == "running\n"


@pytest.mark.parametrize(("verb", "asks"), [("stop", "Stop it?"), ("destroy", "Type desk")])
def test_ctrl_c_at_the_question_says_that_nothing_was_sent(
    tmp_path: Path, verb: str, asks: str
) -> None:
    sent = tmp_path / "sent"
    words = desk(tmp_path, state="echo running", stop=f"touch {sent}", destroy=f"touch {sent}")
    with terminal(verb, *words, "desk") as shown:
        shown.wait_for(asks)
        shown.process.send_signal(signal.SIGINT)
        assert shown.end() == 130
        assert "nothing was sent: desk (command desk) stays as it is" in " ".join(
            shown.shown.split()
        )
    assert not sent.exists()
