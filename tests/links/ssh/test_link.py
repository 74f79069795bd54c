"""A box over SSH, from its address to facts of its runs: real sshd, real follower."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import MakeServer, trust
from tests.links.person import Person
from tests.relay import Relay
from tests.ssh_keys import Key
from tests.sshd import SshServer, system_user
from tests.waiting import wait_until
from tui.boxes import SshTarget
from tui.facts import Fact, FileBytes, FileWhole, Hello, Notice, RunFound, Settled
from tui.links.base import Asker, FollowRequest, LinkError
from tui.links.ssh.link import SshLink

pytestmark = pytest.mark.sshd

Look = Callable[..., list[Fact]]


@pytest.fixture
def links() -> Iterator[list[SshLink]]:
    """Every link of the test; all are closed at its end."""
    opened: list[SshLink] = []
    yield opened
    for link in opened:
        link.close()


@pytest.fixture
def look(links: list[SshLink]) -> Look:
    """Look at a box once and return what was seen."""

    def look_at(
        target: SshTarget, root: Path, asker: Asker | None = None, only: str | None = None
    ) -> list[Fact]:
        link = SshLink(target, asker or Person())
        links.append(link)
        return list(link.open(FollowRequest((str(root),), only=only, once=True)))

    return look_at


@pytest.fixture
def runs(ssh_directory: Path) -> Path:
    """A root, open to every user, with one run that has an epoch behind it."""
    directory = Path(tempfile.mkdtemp(prefix="r", dir=ssh_directory))
    run = directory / "runs" / "run1"
    run.mkdir(parents=True)
    status = {"schema_version": 1, "state": "running", "pid": os.getpid(), "current_epoch": 1}
    (run / "status.json").write_text(json.dumps(status))
    (run / "metrics.jsonl").write_text('{"epoch": 1, "train/loss": 2.5}\n')
    for path in (directory, directory / "runs", run):
        path.chmod(0o755)
    return directory / "runs"


def seen(facts: list[Fact]) -> tuple[str, bytes]:
    """The id of the run that was found, and its metrics."""
    found = next(fact for fact in facts if isinstance(fact, RunFound))
    metrics = b"".join(
        fact.data for fact in facts if isinstance(fact, FileBytes) and fact.name == "metrics.jsonl"
    )
    return found.id, metrics


WELL = ("run1", b'{"epoch": 1, "train/loss": 2.5}\n')


def test_a_look_brings_a_run_from_the_box(
    sshd: SshServer, home: Path, runs: Path, look: Look
) -> None:
    trust(sshd, home)
    facts = look(sshd.target, runs)
    assert isinstance(facts[0], Hello)
    assert facts[0].follower == "python"
    assert seen(facts) == WELL
    assert any(isinstance(fact, FileWhole) and fact.name == "status.json" for fact in facts)
    assert isinstance(facts[-1], Settled)


def test_a_line_written_on_the_box_arrives(
    sshd: SshServer, home: Path, runs: Path, links: list[SshLink]
) -> None:
    trust(sshd, home)
    link = SshLink(sshd.target, Person())
    links.append(link)
    facts = link.open(FollowRequest((str(runs),)))
    for fact in facts:
        if isinstance(fact, Settled):
            break
    with (runs / "run1" / "metrics.jsonl").open("a") as metrics:
        metrics.write('{"epoch": 2}\n')
    arrived = next(fact for fact in facts if isinstance(fact, FileBytes))
    assert arrived.data == b'{"epoch": 2}\n'


def test_a_refused_port_is_unreachable(sshd: SshServer, home: Path, runs: Path, look: Look) -> None:
    trust(sshd, home)
    with Relay(sshd.port) as relay:
        relay.refuse()
        with pytest.raises(LinkError, match=r"127\.0\.0\.1:\d+ refuses the connection") as caught:
            look(replace(sshd.target, port=relay.port), runs)
    assert caught.value.kind == "unreachable"
    assert caught.value.retried


def test_an_unknown_name_is_unreachable(runs: Path, look: Look) -> None:
    with pytest.raises(LinkError, match=r"the name no-such-box\.invalid is not known") as caught:
        look(SshTarget("no-such-box.invalid"), runs)
    assert caught.value.kind == "unreachable"


@pytest.mark.parametrize("port", [0, -1, 70000])
def test_a_port_that_is_none_yet_is_never_replaced_by_22(runs: Path, look: Look, port: int) -> None:
    with pytest.raises(LinkError, match="no SSH port") as caught:
        look(SshTarget("203.0.113.7", port=port), runs)
    assert caught.value.kind == "usage"


@pytest.mark.parametrize("host", ["ssh.runpod.io", "pod"])
def test_runpods_gateway_is_recognised_without_connecting(
    home: Path, runs: Path, look: Look, host: str
) -> None:
    (home / ".ssh").mkdir()
    (home / ".ssh" / "config").write_text("Host pod\n  HostName SSH.runpod.io\n")
    with pytest.raises(LinkError) as caught:
        look(SshTarget(host, "abc-123"), runs)
    assert caught.value.kind == "no_exec"
    assert caught.value.hint is not None
    assert "exposed TCP" in caught.value.hint
    assert "public IP" in caught.value.hint
    assert not caught.value.retried


class TestHostKeys:
    """A server is judged before anything is told to it."""

    def test_a_changed_key_stops_before_any_login(
        self, make_sshd: MakeServer, home: Path, runs: Path, look: Look
    ) -> None:
        server = make_sshd()
        trust(server, home)
        old = server.host_key.fingerprint
        before = (home / ".ssh" / "known_hosts").read_bytes()
        server.use_host_keys("ed25519")
        server.restart()
        server.log_path.write_text("")
        person = Person(accepts=True)
        with pytest.raises(LinkError, match="CHANGED") as caught:
            look(server.target, runs, person)
        assert caught.value.kind == "hostkey_changed"
        assert not caught.value.retried
        for part in (old, server.host_key.fingerprint, server.host_name):
            assert part in str(caught.value)
        assert caught.value.hint is not None
        assert f"ssh-keygen -R '{server.host_name}'" in caught.value.hint
        assert person.questions == []
        assert (home / ".ssh" / "known_hosts").read_bytes() == before
        wait_until(lambda: "Connection closed" in server.log or "reset" in server.log)
        assert "userauth" not in server.log
        assert "publickey" not in server.log

    def test_a_revoked_key_is_refused(
        self, sshd: SshServer, home: Path, runs: Path, look: Look
    ) -> None:
        trust(sshd, home)
        with (home / ".ssh" / "known_hosts").open("a") as known_hosts:
            known_hosts.write(f"@revoked * {' '.join(sshd.host_key.public.split()[:2])}\n")
        with pytest.raises(LinkError, match="revoked") as caught:
            look(sshd.target, runs, Person(accepts=True))
        assert caught.value.kind == "hostkey_changed"

    def test_a_first_key_is_refused_where_nobody_says_yes(
        self, sshd: SshServer, home: Path, runs: Path, look: Look
    ) -> None:
        person = Person()
        with pytest.raises(LinkError) as caught:
            look(sshd.target, runs, person)
        assert caught.value.kind == "hostkey_unknown"
        assert sshd.host_key.fingerprint in str(caught.value)
        assert "--accept-new-host-key" in (caught.value.hint or "")
        assert [question.host for question in person.questions] == [sshd.host_name]
        assert not (home / ".ssh" / "known_hosts").exists()

    def test_an_accepted_key_is_remembered_in_one_line(
        self, sshd: SshServer, home: Path, runs: Path, look: Look
    ) -> None:
        person = Person(accepts=True)
        assert seen(look(sshd.target, runs, person)) == WELL
        assert (home / ".ssh" / "known_hosts").read_text() == sshd.known_host_lines
        assert seen(look(sshd.target, runs)) == WELL
        question = person.questions[0]
        assert question.fingerprint == sshd.host_key.fingerprint
        assert question.key_type == "ssh-ed25519"

    def test_a_second_kind_of_key_is_no_false_alarm(
        self, make_sshd: MakeServer, home: Path, runs: Path, look: Look
    ) -> None:
        server = make_sshd()
        server.use_host_keys("ed25519", "rsa", "ecdsa")
        server.restart()
        (home / ".ssh").mkdir()
        for line in server.known_host_lines.splitlines():
            (home / ".ssh" / "known_hosts").write_text(line + "\n")
            assert seen(look(server.target, runs)) == WELL

    def test_strict_checking_in_the_configuration_asks_nobody(
        self, sshd: SshServer, home: Path, runs: Path, look: Look
    ) -> None:
        (home / ".ssh").mkdir()
        (home / ".ssh" / "config").write_text("Host *\n  StrictHostKeyChecking yes\n")
        person = Person(accepts=True)
        with pytest.raises(LinkError, match="is not known"):
            look(sshd.target, runs, person)
        assert person.questions == []

    def test_a_key_known_for_the_host_without_a_port_will_do(
        self, sshd: SshServer, home: Path, runs: Path, look: Look
    ) -> None:
        (home / ".ssh").mkdir()
        key = " ".join(sshd.host_key.public.split()[:2])
        (home / ".ssh" / "known_hosts").write_text(f"127.0.0.1 {key}\n")
        assert seen(look(sshd.target, runs)) == WELL

    def test_a_host_key_alias_is_looked_up_instead(
        self, sshd: SshServer, home: Path, runs: Path, look: Look
    ) -> None:
        (home / ".ssh").mkdir()
        key = " ".join(sshd.host_key.public.split()[:2])
        (home / ".ssh" / "known_hosts").write_text(f"rented {key}\n")
        (home / ".ssh" / "config").write_text("Host 127.0.0.1\n  HostKeyAlias rented\n")
        assert seen(look(sshd.target, runs)) == WELL


class TestStrangeBoxes:
    """Logins that print, shells that are no sh, and boxes that allow little."""

    def test_noise_of_the_login_is_no_data(
        self, make_sshd: MakeServer, home: Path, runs: Path, look: Look, tmp_path: Path
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

    def test_one_session_is_enough(
        self, make_sshd: MakeServer, home: Path, runs: Path, look: Look
    ) -> None:
        server = make_sshd(options=["MaxSessions 1"])
        trust(server, home)
        assert seen(look(server.target, runs)) == WELL

    def test_a_server_without_free_sessions_is_busy(
        self, make_sshd: MakeServer, home: Path, runs: Path, look: Look
    ) -> None:
        server = make_sshd(options=["MaxSessions 0"])
        trust(server, home)
        with pytest.raises(LinkError, match="MaxSessions") as caught:
            look(server.target, runs)
        assert caught.value.kind == "busy"

    @pytest.mark.skipif(os.getuid() != 0, reason="only root can make users")
    @pytest.mark.parametrize("shell", ["fish", "csh", "dash"])
    def test_any_login_shell_will_do(
        self, make_sshd: MakeServer, home: Path, runs: Path, look: Look, shell: str
    ) -> None:
        path = shutil.which(shell)
        if path is None:
            pytest.skip(f"{shell} is not installed (apt-get install {shell})")
        server = make_sshd()
        trust(server, home)
        with system_user(path, server.home) as user:
            assert seen(look(replace(server.target, user=user), runs)) == WELL

    def test_a_box_without_python_is_followed_with_sh(
        self, make_sshd: MakeServer, home: Path, runs: Path, look: Look, without_python: str
    ) -> None:
        server = make_sshd(options=[f"ForceCommand {without_python}"])
        trust(server, home)
        facts = look(server.target, runs)
        assert isinstance(facts[0], Hello)
        assert facts[0].follower == "sh"
        assert seen(facts) == WELL

    def test_a_box_that_runs_no_command_is_followed_with_sftp(
        self, make_sshd: MakeServer, home: Path, runs: Path, look: Look
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
        self, make_sshd: MakeServer, home: Path, runs: Path, look: Look, tmux_login: str
    ) -> None:
        server = make_sshd(options=[f"ForceCommand {tmux_login}"])
        trust(server, home)
        facts = look(server.target, runs)
        assert seen(facts) == WELL
        notices = [fact.text for fact in facts if isinstance(fact, Notice)]
        assert any("touch ~/.no_auto_tmux" in text for text in notices)

    @pytest.mark.parametrize("login", ["exec bash", "exec cat", "exec sleep 60", "exec fish"])
    def test_a_login_that_starts_something_else_is_followed_with_sftp(
        self,
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
        self, make_sshd: MakeServer, home: Path, runs: Path, look: Look, reply: str
    ) -> None:
        path = Path(__file__).parent.parent.parent / "data" / "cases" / "SSH-13" / reply
        server = make_sshd(options=[f"ForceCommand cat {path}"])
        trust(server, home)
        with pytest.raises(LinkError) as caught:
            look(server.target, runs)
        assert "touch ~/.no_auto_tmux" in (caught.value.hint or "")
        assert not (server.home / ".no_auto_tmux").exists()

    def test_a_gateway_that_wants_a_terminal_is_named(
        self, make_sshd: MakeServer, home: Path, runs: Path, look: Look
    ) -> None:
        reply = "Error: Your SSH client doesn't support PTY"
        server = make_sshd(options=[f'ForceCommand echo "{reply}"; exec cat >/dev/null'])
        trust(server, home)
        started = time.monotonic()
        with pytest.raises(LinkError) as caught:
            look(server.target, runs)
        assert caught.value.kind == "no_exec"
        assert "exposed TCP" in (caught.value.hint or "")
        assert time.monotonic() - started < 10


class TestABadNetwork:
    """Connections that break, at any byte, are noticed and named."""

    @pytest.fixture
    def relay(self, sshd: SshServer) -> Iterator[Relay]:
        with Relay(sshd.port) as relay:
            yield relay

    @pytest.fixture
    def target(self, relay: Relay, sshd: SshServer, home: Path) -> SshTarget:
        trust(sshd, home)
        known_hosts = home / ".ssh" / "known_hosts"
        known_hosts.write_text(known_hosts.read_text().replace(str(sshd.port), str(relay.port)))
        return replace(sshd.target, port=relay.port)

    def follow(self, target: SshTarget, runs: Path, links: list[SshLink]) -> Iterator[Fact]:
        link = SshLink(target, Person())
        links.append(link)
        facts = link.open(FollowRequest((str(runs),)))
        for fact in facts:
            if isinstance(fact, Settled):
                break
        return facts

    def test_a_cut_in_the_middle_of_a_message_is_a_lost_link(
        self, target: SshTarget, relay: Relay, runs: Path, links: list[SshLink]
    ) -> None:
        facts = self.follow(target, runs, links)
        relay.cut_after(100)
        with (runs / "run1" / "metrics.jsonl").open("a") as metrics:
            metrics.write(
                "".join(f'{{"epoch": 2, "x": "{os.urandom(40).hex()}"}}\n' for _ in "x" * 99)
            )
        with pytest.raises(LinkError) as caught:
            for _ in facts:
                continue
        assert caught.value.kind == "lost"
        assert caught.value.retried

    @pytest.mark.parametrize("count", [0, 10, 30, 900, 1500, 2300])
    def test_a_cut_while_connecting_is_an_error_that_heals(
        self, target: SshTarget, relay: Relay, runs: Path, look: Look, count: int
    ) -> None:
        relay.cut_after(count)
        try:
            assert seen(look(target, runs)) == WELL  # a session cut at its start is opened again
        except LinkError as error:
            assert error.retried, error
        assert relay.bytes_to_client >= count

    def test_a_killed_server_process_is_a_lost_link(
        self, make_sshd: MakeServer, home: Path, runs: Path, links: list[SshLink]
    ) -> None:
        server = make_sshd()
        trust(server, home)
        facts = self.follow(server.target, runs, links)
        server.kill_connections()
        with pytest.raises(LinkError) as caught:
            for _ in facts:
                continue
        assert caught.value.kind == "lost"

    def test_a_vanished_peer_is_noticed_by_the_deadline(
        self,
        target: SshTarget,
        relay: Relay,
        runs: Path,
        links: list[SshLink],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        facts = self.follow(target, runs, links)
        monkeypatch.setattr("tui.links.pipe.DEADLINE_SECONDS", 1.0)
        relay.stall()
        started = time.monotonic()
        with pytest.raises(LinkError) as caught:
            for _ in facts:
                continue
        assert caught.value.kind == "lost"
        assert time.monotonic() - started < 6

    def test_a_server_that_never_greets_is_busy(
        self,
        target: SshTarget,
        relay: Relay,
        runs: Path,
        look: Look,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr("tui.links.ssh.handshake.GREETING_SECONDS", 0.5)
        relay.stall()
        with pytest.raises(LinkError, match=r"sent nothing for 0\.5 s") as caught:
            look(target, runs)
        assert caught.value.kind == "busy"

    def test_another_service_at_the_port_is_named(self, runs: Path, look: Look, home: Path) -> None:
        import socket

        def serve(listener: socket.socket) -> None:
            client, _ = listener.accept()
            client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 50)
            client.shutdown(socket.SHUT_WR)
            client.recv(1000)
            client.close()

        with socket.create_server(("127.0.0.1", 0)) as listener:
            threading.Thread(target=serve, args=(listener,), daemon=True).start()
            with pytest.raises(LinkError) as caught:
                look(SshTarget("127.0.0.1", port=listener.getsockname()[1]), runs)
        assert caught.value.kind in {"protocol", "busy"}

    def test_closing_from_another_thread_ends_a_live_stream(
        self, target: SshTarget, runs: Path, links: list[SshLink]
    ) -> None:
        facts = self.follow(target, runs, links)
        rest: list[Fact] = []
        reader = threading.Thread(target=lambda: rest.extend(facts))
        reader.start()
        started = time.monotonic()
        links[-1].close()
        assert time.monotonic() - started < 0.2
        reader.join(3)
        assert not reader.is_alive()

    def test_closing_ends_an_attempt_to_connect(
        self, target: SshTarget, relay: Relay, runs: Path, links: list[SshLink]
    ) -> None:
        relay.stall()
        link = SshLink(target, Person())
        links.append(link)
        ended: list[list[Fact]] = []
        request = FollowRequest((str(runs),))
        reader = threading.Thread(target=lambda: ended.append(list(link.open(request))))
        reader.start()
        link.close()
        reader.join(3)
        assert ended == [[]]

    def test_a_closed_link_leaves_nothing_running_on_the_box(
        self, make_sshd: MakeServer, home: Path, runs: Path, links: list[SshLink]
    ) -> None:
        server = make_sshd()
        trust(server, home)
        self.follow(server.target, runs, links)
        links[-1].close()
        wait_until(lambda: not server.connections(), what="the session on the box ends")


def test_a_further_command_runs_on_the_live_connection(
    sshd: SshServer, home: Path, runs: Path, links: list[SshLink]
) -> None:
    trust(sshd, home)
    link = SshLink(sshd.target, Person())
    links.append(link)
    with pytest.raises(LinkError, match="is not connected"):
        link.run("true")
    before = len(re.findall("Accepted publickey", sshd.log))
    facts = link.open(FollowRequest((str(runs),)))
    next(facts)
    pipe = link.run("cat; echo to the side >&2; exit 3")
    pipe.write(b"hello")
    assert pipe.read(10) == b"hello"
    pipe.close()
    assert len(re.findall("Accepted publickey", sshd.log)) == before + 1


def test_nothing_of_paramiko_reaches_the_terminal(
    sshd: SshServer, home: Path, runs: Path, look: Look, capfd: pytest.CaptureFixture[str]
) -> None:
    trust(sshd, home)
    with Relay(sshd.port) as relay:
        relay.cut_after(10)
        with pytest.raises(LinkError):
            look(replace(sshd.target, port=relay.port), runs)
    look(sshd.target, runs)
    assert capfd.readouterr() == ("", "")


def test_many_boxes_connect_at_once(
    make_sshd: MakeServer, home: Path, runs: Path, look: Look, ssh_key: Key
) -> None:
    server = make_sshd(options=["MaxStartups 200"])
    trust(server, home)
    results: list[tuple[str, bytes]] = []
    threads = [
        threading.Thread(target=lambda: results.append(seen(look(server.target, runs))))
        for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [WELL] * 12


def test_paramiko_is_imported_without_what_boxtop_does_not_need() -> None:
    code = (
        "import sys; from tui.links.paramiko_import import import_paramiko; import_paramiko(); "
        "assert 'paramiko' in sys.modules; print('invoke' in sys.modules); "
        "import invoke; print(bool(invoke.run))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["False", "True"]
