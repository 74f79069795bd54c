"""Logins that print, shells that are no sh, and boxes that allow little."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import MakeServer, trust
from tests.links.ssh.conftest import WELL, Look, seen
from tests.sshd import system_user
from tui.facts import Hello, Notice
from tui.links.base import LinkError
from tui.links.pipe import START_SECONDS

pytestmark = pytest.mark.sshd


def test_noise_of_the_login_is_no_data(
    make_sshd: MakeServer, home: Path, runs: Path, look: Look, tmp_path: Path
) -> None:
    banner = tmp_path / "banner"
    banner.write_text("\x1b[31mAuthorised users only\x1b[0m\n")
    server = make_sshd(options=[f"Banner {banner}"])
    (server.home / ".bashrc").write_text(
        "echo '\x1b[1;32mWelcome to gpubox\x1b[0m'; echo '(base) {\"fake\": true}'; "
        "printf '@@nothing BEGIN'; head -c 200000 /dev/zero; echo oops >&2\n"
    )
    trust(server, home)
    assert seen(look(server.target, runs)) == WELL


def test_one_session_is_enough(make_sshd: MakeServer, home: Path, runs: Path, look: Look) -> None:
    server = make_sshd(options=["MaxSessions 1"])
    trust(server, home)
    assert seen(look(server.target, runs)) == WELL


def test_a_server_without_free_sessions_is_busy(
    make_sshd: MakeServer, home: Path, runs: Path, look: Look
) -> None:
    server = make_sshd(options=["MaxSessions 0"])
    trust(server, home)
    with pytest.raises(LinkError, match="MaxSessions") as caught:
        look(server.target, runs)
    assert caught.value.kind == "busy"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make users")
@pytest.mark.parametrize("shell", ["fish", "csh", "dash"])
def test_any_login_shell_will_do(
    make_sshd: MakeServer, home: Path, runs: Path, look: Look, shell: str
) -> None:
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"{shell} is not installed (apt-get install {shell})")
    server = make_sshd()
    trust(server, home)
    with system_user(path, server.home) as user:
        assert seen(look(replace(server.target, user=user), runs)) == WELL


def test_a_box_without_python_is_followed_with_sh(
    make_sshd: MakeServer, home: Path, runs: Path, look: Look, without_python: str
) -> None:
    server = make_sshd(options=[f"ForceCommand {without_python}"])
    trust(server, home)
    facts = look(server.target, runs)
    assert isinstance(facts[0], Hello)
    assert facts[0].follower == "sh"
    assert seen(facts) == WELL


def test_a_box_that_runs_no_command_is_followed_with_sftp(
    make_sshd: MakeServer, home: Path, runs: Path, look: Look
) -> None:
    server = make_sshd(options=["ForceCommand internal-sftp", "MaxSessions 1"])
    trust(server, home)
    facts = look(server.target, runs)
    assert isinstance(facts[0], Hello)
    assert facts[0].follower == "sftp"
    assert seen(facts) == WELL
    notices = [fact.text for fact in facts if isinstance(fact, Notice)]
    assert any("SFTP alone" in text for text in notices)


def test_a_tmux_login_is_followed_with_sftp_and_says_how_to_do_better(
    make_sshd: MakeServer, home: Path, runs: Path, look: Look, tmux_login: str
) -> None:
    server = make_sshd(options=[f"ForceCommand {tmux_login}"])
    trust(server, home)
    facts = look(server.target, runs)
    assert seen(facts) == WELL
    notices = [fact.text for fact in facts if isinstance(fact, Notice)]
    assert any("touch ~/.no_auto_tmux" in text for text in notices)


@pytest.mark.parametrize("login", ["exec bash", "exec cat", "exec sleep 60", "exec fish"])
def test_a_login_that_starts_something_else_is_followed_with_sftp(
    make_sshd: MakeServer,
    home: Path,
    runs: Path,
    look: Look,
    login: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if shutil.which(login.split()[1]) is None:
        pytest.skip(f"{login} is not installed")
    monkeypatch.setattr("tui.links.pipe.NOISE_SECONDS", 0.5)
    monkeypatch.setattr("tui.links.pipe.START_SECONDS", 1.0)
    server = make_sshd()
    (server.home / ".bashrc").write_text(f"{login}\n")
    trust(server, home)
    facts = look(server.target, runs)
    assert seen(facts) == WELL
    notices = [fact.text for fact in facts if isinstance(fact, Notice)]
    assert any(".bashrc" in text for text in notices)


@pytest.mark.parametrize("reply", ["exec_reply.txt", "exec_reply2.txt"])
def test_a_tmux_login_without_sftp_is_named(
    make_sshd: MakeServer, home: Path, runs: Path, look: Look, reply: str
) -> None:
    path = Path(__file__).parent.parent.parent / "data" / "cases" / "SSH-13" / reply
    server = make_sshd(options=[f"ForceCommand cat {path}"])
    trust(server, home)
    with pytest.raises(LinkError) as caught:
        look(server.target, runs)
    assert "touch ~/.no_auto_tmux" in (caught.value.hint or "")
    assert not (server.home / ".no_auto_tmux").exists()


def test_a_gateway_that_wants_a_terminal_is_named(
    make_sshd: MakeServer, home: Path, runs: Path, look: Look
) -> None:
    reply = "Error: Your SSH client doesn't support PTY"
    server = make_sshd(options=[f'ForceCommand echo "{reply}"; exec cat >/dev/null'])
    trust(server, home)
    started = time.monotonic()
    with pytest.raises(LinkError) as caught:
        look(server.target, runs)
    assert caught.value.kind == "no_exec"
    assert "exposed TCP" in (caught.value.hint or "")
    assert time.monotonic() - started < START_SECONDS
