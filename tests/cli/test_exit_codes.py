"""What boxtop exits with: scripts and people at night depend on it."""

from __future__ import annotations

import json
import shutil
import socket
from pathlib import Path

import pytest

from tests.cli.conftest import Boxtop
from tests.cli.runs import CASES, RUNS, copy_run, live_run
from tests.sshd import SshServer


@pytest.fixture
def refusing_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.mark.parametrize(
    ("name", "code", "word"),
    [
        ("yolo9t_long", 0, "completed"),
        ("yolo9t_early", 0, "stopped early at 4/60"),
        ("yolo9t_resumed", 0, "12/12"),
        ("yolox_done", 0, "completed"),
        ("sig_INT", 0, "interrupted (Ctrl-C) in epoch 3"),
        ("yolo9t_killed", 3, "dead"),
    ],
)
def test_recorded_runs(boxtop: Boxtop, name: str, code: int, word: str) -> None:
    called = boxtop("status", RUNS / name)
    assert (called.code, called.err) == (code, "")
    assert word in called.out


def test_a_failed_run_needs_a_person(boxtop: Boxtop, tmp_path: Path) -> None:
    shutil.copytree(CASES / "RUN-03", tmp_path / "run")
    called = boxtop("status", tmp_path / "run")
    assert called.code == 3
    assert "OutOfMemoryError" in called.out and "80 %" in called.out


def test_one_run_of_several_that_needs_a_person_is_enough(boxtop: Boxtop) -> None:
    assert boxtop("status", RUNS).code == 3


def test_the_named_run_alone_decides(boxtop: Boxtop) -> None:
    assert boxtop("status", f"{RUNS}:yolo9t_long").code == 0
    assert boxtop("status", f"{RUNS}:yolo9t_killed").code == 3


def test_a_live_run_is_well(boxtop: Boxtop, tmp_path: Path) -> None:
    live_run(tmp_path / "run1")
    called = boxtop("status", tmp_path)
    assert called.code == 0
    assert "running    run1  epoch 12/100  12 %" in called.out


def test_a_box_that_answers_without_runs_is_well_and_says_where_was_looked(
    boxtop: Boxtop, tmp_path: Path
) -> None:
    called = boxtop("status", tmp_path)
    assert called.code == 0
    words = " ".join(called.out.split())
    assert "no runs yet; looked below /" in words
    assert f"lookedbelow{tmp_path}" in words.replace(" ", "")
    assert "status.json, metrics.jsonl or results.csv" in words


def test_a_box_that_cannot_be_read_is_4_and_wins_over_3(boxtop: Boxtop, refusing_port: int) -> None:
    target = f"root@127.0.0.1:{refusing_port}"
    called = boxtop("status", target, RUNS / "yolo9t_killed")
    assert called.code == 4
    assert "offline, never seen" in called.out and "refuses the connection" in called.out
    assert "dead" in called.out
    document = json.loads(boxtop("status", target, "--json").out)
    assert document["boxes"][0]["link"]["state"] == "offline"
    assert document["boxes"][0]["runs"] == []


@pytest.mark.sshd
def test_a_box_over_ssh(boxtop: Boxtop, ssh_box: SshServer, tmp_path: Path) -> None:
    copy_run("yolo9t_killed", tmp_path / "runs" / "run1")
    target = f"ssh://{ssh_box.text}{tmp_path}/runs"
    called = boxtop("status", target)
    assert called.code == 3
    assert "dead" in called.out and "run1" in called.out
    assert boxtop("status", f"ssh://{ssh_box.text}{tmp_path}/none").code == 0


@pytest.mark.sshd
def test_an_unknown_host_key_is_refused_in_a_script_and_accepted_when_told(
    boxtop: Boxtop, ssh_box: SshServer, home: Path, tmp_path: Path
) -> None:
    (home / ".ssh" / "known_hosts").write_text("")
    target = f"ssh://{ssh_box.text}{tmp_path}"
    called = boxtop("status", target)
    assert called.code == 4
    assert "refused" in called.out and "--accept-new-host-key" in called.out
    assert boxtop("--accept-new-host-key", "status", target).code == 0
    assert boxtop("status", target).code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["status", "/no/such/dir"], "no such directory: /no/such/dir"),
        (["status", "/no/such/dir", "--json"], "no such directory: /no/such/dir"),
        (["logs", "./nothing"], "no such directory: ./nothing"),
        (["status", "-oProxyCommand=x"], "No such option"),
        (["status", "--", "-oProxyCommand=x@h"], "is no user name"),
        (["status", "root@h;reboot"], "is no host name"),
        (["status", "nobody-knows"], "'nobody-knows' is no box of boxtop.toml"),
        (["status"], "no boxes: boxtop.toml names none"),
        (["status", "--nope"], "No such option"),
        (["status", "--timeout", "x", "."], "Invalid value for '--timeout'"),
        (["statsu"], "'statsu' is no verb and no target"),
        (["logs"], "Missing argument 'TARGET[:RUN]'"),
        (["plot", f"{RUNS}:yolo9t_long", "mAP5"], "the run has no column 'mAP5'"),
        (["status", f"{RUNS}:yolo9t_lon"], "has no run 'yolo9t_lon'"),
        (["open", "nobody"], "no box 'nobody' was ever mirrored"),
        (["completion", "tcsh"], "'tcsh' is not one of"),
        (["--config", "/no/boxtop.toml", "boxes"], "/no/boxtop.toml: no such file"),
    ],
)
def test_a_mistake_of_the_call_is_2(boxtop: Boxtop, arguments: list[str], message: str) -> None:
    called = boxtop(*arguments)
    assert called.code == 2
    assert message in called.err
    assert called.err.startswith("boxtop: ")


def test_a_run_that_is_not_there_is_told_with_those_that_are(boxtop: Boxtop) -> None:
    called = boxtop("status", f"{RUNS}:yolo9t_lon")
    assert called.code == 2 and called.out == ""
    assert "did you mean yolo9t_long? it has " in called.err


def test_a_target_without_runs_says_what_was_looked_for(boxtop: Boxtop, tmp_path: Path) -> None:
    for verb in ("logs", "plot"):
        called = boxtop(verb, tmp_path)
        assert called.code == 2
        assert f"has no run; looked below {tmp_path}" in called.err
        assert "status.json, metrics.jsonl or results.csv" in called.err


def test_a_mistyped_verb_is_answered_with_the_right_one(boxtop: Boxtop) -> None:
    assert "did you mean `boxtop status`?" in boxtop("statsu").err
    assert "did you mean `boxtop config`?" in boxtop("confg", "check").err


def test_a_directory_named_almost_like_a_verb_is_a_target(
    boxtop: Boxtop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy_run("yolo9t_long", tmp_path / "statsu" / "run1")
    monkeypatch.chdir(tmp_path)
    called = boxtop("statsu")
    assert called.code == 0 and "run1" in called.out


def test_a_wrong_configuration_is_2_with_file_line_and_key(boxtop: Boxtop, tmp_path: Path) -> None:
    config = tmp_path / "boxtop.toml"
    config.write_text("[watch]\nrunz = []\n")
    for arguments in (["status", tmp_path], ["boxes"], ["config", "check"], ["config", "show"]):
        called = boxtop("--config", config, *arguments)
        assert called.code == 2
        assert f"{config}:2: watch.runz: unknown key; did you mean runs?" in called.err


def test_an_unforeseen_fault_is_one_line_and_1(
    boxtop: Boxtop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object, **__: object) -> int:
        raise RuntimeError("token=hf_abcdefghijklmnop\nsecond line")

    monkeypatch.setattr("tui.cli.session.Session.boxes", fail)
    called = boxtop("status", tmp_path)
    assert called.code == 1
    first, second = called.err.splitlines()
    assert first.startswith("boxtop: unexpected RuntimeError: ") and "hf_abc" not in first
    assert "--debug" in second
    told = tmp_path / "deep" / "debug.txt"
    called = boxtop(f"--debug={told}", "status", tmp_path)
    assert called.code == 1 and f"the traceback is in {told}" in called.err
    assert "Traceback" in told.read_text() and "hf_abc" not in told.read_text()
    assert told.stat().st_mode & 0o077 == 0


def test_debug_without_a_file_writes_below_the_data_directory(
    boxtop: Boxtop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*_: object, **__: object) -> int:
        raise KeyError("gone")

    monkeypatch.setattr("tui.cli.session.Session.boxes", fail)
    called = boxtop("--debug", "--data-dir", tmp_path, "status", tmp_path)
    assert f"the traceback is in {tmp_path}/debug.log" in called.err
    assert "KeyError" in (tmp_path / "debug.log").read_text()
