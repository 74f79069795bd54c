"""Logging in beside an agent: what the target names comes first, and few keys are tried."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import MakeServer
from tests.links.conftest import Dial
from tests.links.person import Person
from tests.links.ssh.conftest import known
from tests.ssh_keys import Agent, Key, make_key
from tests.sshd import SshServer
from tui.boxes import SshTarget
from tui.links.base import LinkError

pytestmark = pytest.mark.sshd


def offered(server: SshServer) -> list[str]:
    """Fingerprints of the keys that reached the server, in order, without repetition."""
    lines = r"(?:pkblob \S+|(?:Failed|Accepted) publickey for .* ssh2: \S+) (SHA256:\S+)"
    return list(dict.fromkeys(re.findall(lines, server.log)))


def configure(home: Path, text: str) -> None:
    (home / ".ssh" / "config").write_text(text)


@pytest.fixture
def crowd(ssh_agent: Agent, home: Path) -> list[Key]:
    """An agent that holds nine keys, none of which the server knows."""
    keys = [make_key(home / "agent" / f"key{number}") for number in range(9)]
    for key in keys:
        ssh_agent.add(key)
    return keys


def test_the_named_key_comes_first(
    make_sshd: MakeServer, home: Path, dial: Dial, crowd: list[Key], ssh_key: Key
) -> None:
    server = make_sshd(options=["MaxAuthTries 2"])
    target = replace(known(server, home), identity_files=(str(ssh_key.path),))
    assert dial(target).alive
    assert offered(server) == [ssh_key.fingerprint]


def test_identities_only_offers_no_other_key(
    make_sshd: MakeServer, home: Path, dial: Dial, crowd: list[Key]
) -> None:
    server = make_sshd()
    known(server, home)
    key = make_key(home / ".ssh" / "id_rent")
    configure(
        home,
        f"Host gpu1\n  HostName 127.0.0.1\n  Port {server.port}\n  User {server.user}\n"
        "  IdentityFile ~/.ssh/id_rent\n  IdentitiesOnly yes\n",
    )
    with pytest.raises(LinkError, match="refuses 1 key"):
        dial(SshTarget("gpu1"))
    assert offered(server) == [key.fingerprint]


def test_no_more_than_six_keys_are_offered(
    make_sshd: MakeServer, home: Path, dial: Dial, crowd: list[Key]
) -> None:
    key = make_key(home / "keys" / "named")
    server = make_sshd(options=["MaxAuthTries 20"])
    target = replace(known(server, home), identity_files=(str(key.path),))
    with pytest.raises(LinkError, match="refuses 6 keys") as caught:
        dial(target)
    seen = offered(server)
    assert seen[0] == key.fingerprint
    assert len(seen) == 6
    assert all(fingerprint in str(caught.value) for fingerprint in seen)


def test_a_server_that_hangs_up_is_no_bad_key(
    make_sshd: MakeServer, home: Path, dial: Dial, crowd: list[Key]
) -> None:
    server = make_sshd(options=["MaxAuthTries 3"])
    with pytest.raises(LinkError, match=r"closed the connection after \d keys") as caught:
        dial(known(server, home))
    assert caught.value.kind == "auth"
    assert caught.value.hint is not None
    assert "IdentitiesOnly yes" in caught.value.hint


def test_the_usual_file_still_gets_its_turn(
    ssh_box: SshServer, dial: Dial, crowd: list[Key]
) -> None:
    assert dial(SshTarget("127.0.0.1", ssh_box.user, ssh_box.port)).alive


def test_an_encrypted_key_is_used_through_the_agent(
    make_sshd: MakeServer, home: Path, dial: Dial, ssh_agent: Agent
) -> None:
    plain = make_key(home / "keys" / "plain")
    ssh_agent.add(plain)
    locked = home / "keys" / "id"
    shutil.copy(plain.path, locked)
    shutil.copy(f"{plain.path}.pub", f"{locked}.pub")
    Key(locked, plain.public).set_passphrase("correct horse")
    server = make_sshd(plain)
    person = Person()
    assert dial(replace(known(server, home), identity_files=(str(locked),)), person).alive
    assert person.asked_for == []


@pytest.mark.parametrize("kind", ["ed25519", "rsa"])
def test_a_public_file_names_a_key_of_the_agent(
    make_sshd: MakeServer, home: Path, dial: Dial, ssh_agent: Agent, kind: str
) -> None:
    key = make_key(home / "keys" / "id", kind)
    ssh_agent.add(key)
    key.path.unlink()
    server = make_sshd(key)
    target = known(server, home)
    for path in (str(key.path), f"{key.path}.pub"):
        assert dial(replace(target, identity_files=(path,))).alive


def test_an_agent_that_is_gone_is_no_obstacle(
    ssh_box: SshServer, dial: Dial, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSH_AUTH_SOCK", str(tmp_path / "gone"))
    assert dial(SshTarget("127.0.0.1", ssh_box.user, ssh_box.port)).alive
