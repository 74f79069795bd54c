"""Questions at the terminal: a first host key, and the passphrase of a key."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Boxtop
from tests.cli.runs import copy_run
from tests.cli.terminal import terminal
from tests.sshd import SshServer
from tests.waiting import wait_until

pytestmark = pytest.mark.sshd


@pytest.fixture
def target(ssh_box: SshServer, tmp_path: Path) -> str:
    copy_run("yolo9t_long", tmp_path / "runs" / "run1")
    return f"ssh://{ssh_box.text}{tmp_path}/runs"


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 4), ("\n", 4)])
def test_a_first_host_key_is_shown_and_asked_for(
    ssh_box: SshServer, home: Path, target: str, answer: str, code: int
) -> None:
    known_hosts = home / ".ssh" / "known_hosts"
    known_hosts.write_text("")
    with terminal("status", target) as shown:
        shown.wait_for("[y/N]")
        assert ssh_box.host_key.fingerprint in shown.shown
        assert ssh_box.host_name in shown.shown
        shown.press(answer)
        assert shown.end() == code
    assert (ssh_box.host_name in known_hosts.read_text()) == (code == 0)


def test_the_passphrase_of_a_key_is_asked_for_and_not_shown(home: Path, target: str) -> None:
    key = home / ".ssh" / "id_ed25519"
    command = ["ssh-keygen", "-q", "-p", "-P", "", "-N", "secret words", "-f", str(key)]
    subprocess.run(command, check=True, capture_output=True)
    with terminal("status", target) as shown:
        shown.wait_for(f"Passphrase of {key}: ")
        shown.press("wrong\n")
        shown.wait_for("(try 2 of 3)")
        shown.press("secret words\n")
        assert shown.end() == 0
        assert "secret" not in shown.shown and "run1" in shown.shown


def test_ctrl_c_at_a_passphrase_leaves_a_terminal_that_echoes(home: Path, target: str) -> None:
    key = home / ".ssh" / "id_ed25519"
    command = ["ssh-keygen", "-q", "-p", "-P", "", "-N", "secret words", "-f", str(key)]
    subprocess.run(command, check=True, capture_output=True)
    with terminal("status", target) as shown:
        shown.wait_for(f"Passphrase of {key}: ")
        wait_until(lambda: not shown.echoes, what="a terminal that hides what is typed")
        shown.process.send_signal(signal.SIGINT)
        assert shown.end() == 130
        assert shown.echoes


def test_in_a_script_nobody_is_asked(boxtop: Boxtop, home: Path, target: str) -> None:
    key = home / ".ssh" / "id_ed25519"
    command = ["ssh-keygen", "-q", "-p", "-P", "", "-N", "secret", "-f", str(key)]
    subprocess.run(command, check=True, capture_output=True)
    called = boxtop("status", target)
    assert called.code == 4
    assert str(key) in "".join(called.out.split()), "a long path goes on in the next line"
