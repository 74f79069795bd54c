"""What paramiko cannot do, the system's ssh does: the same facts, the same errors."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import MakeServer, trust
from tests.links.person import Person
from tests.ssh_keys import Key, make_key, sign_key
from tests.sshd import SshServer
from tests.waiting import wait_until
from tui.boxes import SshTarget
from tui.facts import Fact, Hello, Notice, RunFound, Settled
from tui.links.base import FollowRequest, LinkError
from tui.links.ssh.hops import Hop
from tui.links.ssh.link import SshLink
from tui.links.ssh.openssh_errors import explain

pytestmark = pytest.mark.sshd

ONLY_OPENSSH = "Host *\n  BindAddress 127.0.0.1\n"
"""A setting that sends every connection through ssh."""


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    run = tmp_path / "runs" / "run1"
    run.mkdir(parents=True)
    (run / "metrics.jsonl").write_text('{"epoch": 1}\n')
    return tmp_path / "runs"


@pytest.fixture
def links() -> Iterator[list[SshLink]]:
    opened: list[SshLink] = []
    yield opened
    for link in opened:
        link.close()


def configure(home: Path, text: str) -> None:
    (home / ".ssh").mkdir(exist_ok=True)
    (home / ".ssh" / "config").write_text(text)


def look(target: SshTarget, root: Path, person: Person | None = None) -> list[Fact]:
    link = SshLink(target, person or Person())
    return list(link.open(FollowRequest((str(root),), once=True)))


def through_ssh(facts: list[Fact]) -> str:
    """Check that a look is complete, and return why ssh was used."""
    assert isinstance(facts[0], Hello)
    assert isinstance(facts[-1], Settled)
    assert any(isinstance(fact, RunFound) and fact.id == "run1" for fact in facts)
    notices = [fact.text for fact in facts if isinstance(fact, Notice)]
    reasons = [text for text in notices if text.startswith("connected with the system's ssh: ")]
    assert len(reasons) == 1
    return reasons[0].removeprefix("connected with the system's ssh: ")


def test_a_setting_that_only_ssh_knows(sshd: SshServer, home: Path, runs: Path) -> None:
    trust(sshd, home)
    configure(home, ONLY_OPENSSH)
    assert through_ssh(look(sshd.target, runs)) == "BindAddress for 127.0.0.1"


def test_a_server_whose_ciphers_paramiko_lacks(
    make_sshd: MakeServer, home: Path, runs: Path
) -> None:
    server = make_sshd(options=["Ciphers chacha20-poly1305@openssh.com"])
    trust(server, home)
    assert "no algorithm in common" in through_ssh(look(server.target, runs))


def test_a_key_that_a_command_knows(make_sshd: MakeServer, home: Path, runs: Path) -> None:
    server = make_sshd()
    (home / ".ssh").mkdir()
    line = server.known_host_lines.strip()
    (home / ".ssh" / "config").write_text(f"KnownHostsCommand /bin/echo {line}\n")
    assert "KnownHostsCommand" in through_ssh(look(server.target, runs))


@pytest.mark.parametrize(
    ("there", "kind", "words"),
    [(True, "hostkey_changed", "is revoked"), (False, "usage", "cannot be read")],
)
def test_a_key_that_a_file_revokes(
    make_sshd: MakeServer, home: Path, runs: Path, there: bool, kind: str, words: str
) -> None:
    server = make_sshd()
    trust(server, home)
    if there:
        (home / "revoked").write_text(server.host_key.public)
    (home / ".ssh" / "config").write_text(f"RevokedHostKeys {home}/revoked\n")
    with pytest.raises(LinkError, match=words) as caught:
        look(server.target, runs)
    assert caught.value.kind == kind


def test_a_host_certificate(make_sshd: MakeServer, home: Path, runs: Path, tmp_path: Path) -> None:
    authority = make_key(tmp_path / "ca")
    server = make_sshd()
    certificate = sign_key(authority, server.host_key, "-h", "-n", "127.0.0.1")
    server.stop()
    server.add_options(f"HostCertificate {certificate}")
    server.start(server.port)
    (home / ".ssh").mkdir()
    known_hosts = home / ".ssh" / "known_hosts"
    line = f"@cert-authority [127.0.0.1]:{server.port} {authority.public}\n"
    known_hosts.write_text(line)
    assert "host certificate" in through_ssh(look(server.target, runs))
    assert known_hosts.read_text() == line


def test_an_open_master_connection(
    make_sshd: MakeServer, home: Path, runs: Path, ssh_directory: Path
) -> None:
    server = make_sshd()
    trust(server, home)
    control = ssh_directory / "control"
    options = ["-F", "none", "-o", f"UserKnownHostsFile={home}/.ssh/known_hosts"]
    address = ["-i", str(server.key.path), "-p", str(server.port), f"{server.user}@127.0.0.1"]
    master = subprocess.Popen(["ssh", *options, "-M", "-N", "-S", str(control), *address])
    try:
        wait_until(control.exists, what="the master connection")
        configure(home, f"Host *\n  ControlPath {control}\n")
        bare = SshTarget("127.0.0.1", server.user, server.port)
        assert "master connection" in through_ssh(look(bare, runs))
    finally:
        master.terminate()
        master.wait(10)


def test_a_key_on_a_token_is_handed_to_ssh(
    make_sshd: MakeServer, home: Path, runs: Path, token_key: Key
) -> None:
    server = make_sshd(token_key)
    trust(server, home)
    with pytest.raises(LinkError) as caught:
        look(replace(server.target, identity_files=(str(token_key.path),)), runs)
    assert caught.value.kind == "auth"
    assert "Permission denied" in str(caught.value)


def test_a_box_behind_a_jump_host(
    make_sshd: MakeServer, sshd: SshServer, home: Path, runs: Path
) -> None:
    box = make_sshd(options=["Ciphers chacha20-poly1305@openssh.com"])
    trust(sshd, home)
    trust(box, home)
    configure(
        home,
        f"Host gw\n  HostName 127.0.0.1\n  Port {sshd.port}\n  User {sshd.user}\n"
        f"  IdentityFile {sshd.key.path}\n  UserKnownHostsFile {home}/.ssh/known_hosts\n",
    )
    assert through_ssh(look(replace(box.target, jump="gw"), runs))


class TestHostKeys:
    """ssh is started only for hosts that a person knows."""

    @pytest.fixture(autouse=True)
    def only_ssh(self, home: Path) -> None:
        configure(home, ONLY_OPENSSH)

    def test_a_first_key_is_shown_before_any_login(
        self, make_sshd: MakeServer, home: Path, runs: Path
    ) -> None:
        server = make_sshd()
        person = Person()
        with pytest.raises(LinkError) as caught:
            look(server.target, runs, person)
        assert caught.value.kind == "hostkey_unknown"
        assert server.host_key.fingerprint in str(caught.value)
        assert person.questions[0].fingerprint == server.host_key.fingerprint
        assert "publickey" not in server.log
        assert not (home / ".ssh" / "known_hosts").exists()

    def test_an_accepted_key_is_remembered(self, sshd: SshServer, home: Path, runs: Path) -> None:
        assert through_ssh(look(sshd.target, runs, Person(accepts=True)))
        assert (home / ".ssh" / "known_hosts").read_text() == sshd.known_host_lines

    def test_a_changed_key_is_refused(self, make_sshd: MakeServer, home: Path, runs: Path) -> None:
        server = make_sshd()
        trust(server, home)
        server.use_host_keys("ed25519")
        server.restart()
        server.log_path.write_text("")
        with pytest.raises(LinkError, match="CHANGED") as caught:
            look(server.target, runs, Person(accepts=True))
        assert caught.value.kind == "hostkey_changed"
        assert f"ssh-keygen -R '{server.host_name}'" in (caught.value.hint or "")
        assert "userauth" not in server.log

    def test_an_unreachable_host_is_told_as_such(self, sshd: SshServer, runs: Path) -> None:
        with pytest.raises(LinkError, match="Connection refused") as caught:
            look(replace(sshd.target, port=1), runs, Person(accepts=True))
        assert caught.value.kind == "unreachable"


def test_a_refused_login(sshd: SshServer, home: Path, runs: Path, tmp_path: Path) -> None:
    trust(sshd, home)
    configure(home, ONLY_OPENSSH)
    key = make_key(tmp_path / "other")
    with pytest.raises(LinkError, match="Permission denied") as caught:
        look(replace(sshd.target, identity_files=(str(key.path),)), runs)
    assert caught.value.kind == "auth"
    assert not caught.value.retried


def test_a_killed_connection_is_a_lost_link(
    make_sshd: MakeServer, home: Path, runs: Path, links: list[SshLink]
) -> None:
    server = make_sshd()
    trust(server, home)
    configure(home, ONLY_OPENSSH)
    link = SshLink(server.target, Person())
    links.append(link)
    facts = link.open(FollowRequest((str(runs),)))
    for fact in facts:
        if isinstance(fact, Settled):
            break
    server.kill_connections()
    with pytest.raises(LinkError) as caught:
        for _ in facts:
            continue
    assert caught.value.kind == "lost"


def test_without_ssh_on_this_machine_the_error_says_so(
    sshd: SshServer, home: Path, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trust(sshd, home)
    configure(home, ONLY_OPENSSH)
    monkeypatch.setenv("PATH", str(home))
    assert shutil.which("ssh") is None
    with pytest.raises(LinkError, match="is not installed") as caught:
        look(sshd.target, runs)
    assert caught.value.kind == "usage"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("ssh: Could not resolve hostname x: Name or service not known", "unreachable"),
        ("ssh: connect to host h port 22: Connection timed out", "unreachable"),
        ("ssh: connect to host h port 22: No route to host", "unreachable"),
        ("kex_exchange_identification: Connection closed by remote host", "busy"),
        ("Received disconnect from h port 22:2: Too many authentication failures", "auth"),
        ("root@h: Permission denied (publickey,password).", "auth"),
        ("Host key verification failed.", "hostkey_unknown"),
        ("@@@\n@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\n", "hostkey_changed"),
        ("Timeout, server h not responding.", "lost"),
        ("/root/.ssh/config: terminating, 1 bad configuration options", "usage"),
        ("something new", "lost"),
        ("", "lost"),
    ],
)
def test_what_ssh_says_becomes_an_error_of_its_kind(text: str, kind: str) -> None:
    error = explain(Hop("h", "h", 22, "root"), text)
    assert error.kind == kind
    assert "\n" not in str(error)
