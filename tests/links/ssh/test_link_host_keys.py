"""A server is judged before anything is told to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import MakeServer, trust
from tests.links.person import Person
from tests.links.ssh.conftest import WELL, Look, seen
from tests.sshd import SshServer
from tests.waiting import wait_until
from tui.links.base import LinkError

pytestmark = pytest.mark.sshd


def test_a_changed_key_stops_before_any_login(
    make_sshd: MakeServer, home: Path, runs: Path, look: Look
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
    wait_until(lambda: not server.connections(), what="the server is done with the connection")
    assert "userauth" not in server.log
    assert "publickey" not in server.log


def test_a_revoked_key_is_refused(sshd: SshServer, home: Path, runs: Path, look: Look) -> None:
    trust(sshd, home)
    with (home / ".ssh" / "known_hosts").open("a") as known_hosts:
        known_hosts.write(f"@revoked * {' '.join(sshd.host_key.public.split()[:2])}\n")
    with pytest.raises(LinkError, match="revoked") as caught:
        look(sshd.target, runs, Person(accepts=True))
    assert caught.value.kind == "hostkey_changed"


def test_a_first_key_is_refused_where_nobody_says_yes(
    sshd: SshServer, home: Path, runs: Path, look: Look
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
    sshd: SshServer, home: Path, runs: Path, look: Look
) -> None:
    person = Person(accepts=True)
    assert seen(look(sshd.target, runs, person)) == WELL
    assert (home / ".ssh" / "known_hosts").read_text() == sshd.known_host_lines
    assert seen(look(sshd.target, runs)) == WELL
    question = person.questions[0]
    assert question.fingerprint == sshd.host_key.fingerprint
    assert question.key_type == "ssh-ed25519"


def test_a_second_kind_of_key_is_no_false_alarm(
    make_sshd: MakeServer, home: Path, runs: Path, look: Look
) -> None:
    server = make_sshd()
    server.use_host_keys("ed25519", "rsa", "ecdsa")
    server.restart()
    (home / ".ssh").mkdir()
    for line in server.known_host_lines.splitlines():
        (home / ".ssh" / "known_hosts").write_text(line + "\n")
        assert seen(look(server.target, runs)) == WELL


def test_strict_checking_in_the_configuration_asks_nobody(
    sshd: SshServer, home: Path, runs: Path, look: Look
) -> None:
    (home / ".ssh").mkdir()
    (home / ".ssh" / "config").write_text("Host *\n  StrictHostKeyChecking yes\n")
    person = Person(accepts=True)
    with pytest.raises(LinkError, match="is not known"):
        look(sshd.target, runs, person)
    assert person.questions == []


def test_a_key_known_for_the_host_without_a_port_will_do(
    sshd: SshServer, home: Path, runs: Path, look: Look
) -> None:
    (home / ".ssh").mkdir()
    key = " ".join(sshd.host_key.public.split()[:2])
    (home / ".ssh" / "known_hosts").write_text(f"127.0.0.1 {key}\n")
    assert seen(look(sshd.target, runs)) == WELL


def test_a_host_key_alias_is_looked_up_instead(
    sshd: SshServer, home: Path, runs: Path, look: Look
) -> None:
    (home / ".ssh").mkdir()
    key = " ".join(sshd.host_key.public.split()[:2])
    (home / ".ssh" / "known_hosts").write_text(f"rented {key}\n")
    (home / ".ssh" / "config").write_text("Host 127.0.0.1\n  HostKeyAlias rented\n")
    assert seen(look(sshd.target, runs)) == WELL
