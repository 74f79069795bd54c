"""Logging in: the right key first, few tries, and errors that say what was wrong."""

from __future__ import annotations

import re
import shutil
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import MakeServer, trust
from tests.links.conftest import Dial
from tests.links.person import Person
from tests.ssh_keys import Agent, Key, make_key, sign_key
from tests.sshd import SshServer
from tui.boxes import SshTarget
from tui.links.base import LinkError
from tui.links.ssh.openssh_needed import NeedsOpenSsh

pytestmark = pytest.mark.sshd


def known(server: SshServer, home: Path) -> SshTarget:
    """Make the server known, without any key of the user; returns it as a bare address."""
    trust(server, home)
    return SshTarget("127.0.0.1", server.user, server.port)


def offered(server: SshServer) -> list[str]:
    """Fingerprints of the keys that reached the server, in order, without repetition."""
    lines = r"(?:pkblob \S+|(?:Failed|Accepted) publickey for .* ssh2: \S+) (SHA256:\S+)"
    return list(dict.fromkeys(re.findall(lines, server.log)))


def configure(home: Path, text: str) -> None:
    (home / ".ssh" / "config").write_text(text)


@pytest.mark.parametrize("kind", ["ed25519", "rsa", "ecdsa"])
def test_every_usual_kind_of_key_logs_in(
    make_sshd: MakeServer, home: Path, dial: Dial, kind: str
) -> None:
    key = make_key(home / "keys" / kind, kind)
    server = make_sshd(key)
    target = replace(known(server, home), identity_files=(str(key.path),))
    assert dial(target).alive


@pytest.mark.parametrize("kind", ["rsa", "ecdsa"])
def test_keys_in_the_old_pem_format_log_in(
    make_sshd: MakeServer, home: Path, dial: Dial, kind: str
) -> None:
    key = make_key(home / "keys" / kind, kind, "-m", "PEM")
    server = make_sshd(key)
    assert b"BEGIN OPENSSH" not in key.path.read_bytes()
    assert dial(replace(known(server, home), identity_files=(str(key.path),))).alive


def test_a_usual_file_is_found_without_being_named(ssh_box: SshServer, dial: Dial) -> None:
    assert dial(SshTarget("127.0.0.1", ssh_box.user, ssh_box.port)).alive


def test_a_passphrase_is_asked_for_until_it_fits(
    make_sshd: MakeServer, home: Path, dial: Dial
) -> None:
    key = make_key(home / "keys" / "id", passphrase="correct horse")
    server = make_sshd(key)
    target = replace(known(server, home), identity_files=(str(key.path),))
    person = Person(passphrases=("wrong", "correct horse"))
    assert dial(target, person).alive
    assert person.asked_for == [(str(key.path), 1), (str(key.path), 2)]


def test_several_boxes_with_one_key_ask_for_its_passphrase_once(
    make_sshd: MakeServer, home: Path, dial: Dial
) -> None:
    key = make_key(home / "keys" / "id", passphrase="correct horse")
    server = make_sshd(key)
    target = replace(known(server, home), identity_files=(str(key.path),))
    person = Person(passphrases=("correct horse",))
    alive: list[bool] = []
    threads = [
        threading.Thread(target=lambda: alive.append(dial(target, person).alive)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert alive == [True] * 4
    assert len(person.asked_for) == 1


def test_three_wrong_passphrases_are_the_reason_in_the_error(
    make_sshd: MakeServer, home: Path, dial: Dial
) -> None:
    key = make_key(home / "keys" / "id", passphrase="correct horse")
    server = make_sshd(key)
    target = replace(known(server, home), identity_files=(str(key.path),))
    person = Person(passphrases=("wrong", "worse", "worst"))
    with pytest.raises(LinkError, match=r"id: wrong passphrase \(3 tries\)") as caught:
        dial(target, person)
    assert caught.value.kind == "auth"
    assert not caught.value.retried
    for secret in ("wrong", "worse", "worst"):
        assert secret not in str(caught.value).replace("wrong passphrase", "")


def test_without_a_person_an_encrypted_key_is_named_as_such(
    make_sshd: MakeServer, home: Path, dial: Dial
) -> None:
    key = make_key(home / "keys" / "id", passphrase="correct horse")
    server = make_sshd(key)
    with pytest.raises(LinkError, match="id: encrypted, no passphrase given"):
        dial(replace(known(server, home), identity_files=(str(key.path),)))


def test_nobody_is_asked_about_a_key_that_the_server_would_refuse(
    make_sshd: MakeServer, home: Path, dial: Dial
) -> None:
    key = make_key(home / "keys" / "id", passphrase="correct horse")
    server = make_sshd()
    person = Person(passphrases=("correct horse",))
    with pytest.raises(LinkError):
        dial(replace(known(server, home), identity_files=(str(key.path),)), person)
    assert person.asked_for == []


def test_a_refused_key_is_listed_with_its_fingerprint_and_a_hint(
    sshd: SshServer, home: Path, dial: Dial
) -> None:
    key = make_key(home / "keys" / "other")
    target = replace(known(sshd, home), identity_files=(str(key.path),))
    with pytest.raises(LinkError) as caught:
        dial(target)
    assert caught.value.kind == "auth"
    assert f"refuses 1 key: {key.fingerprint} ({key.path})" in str(caught.value)
    assert caught.value.hint is not None
    assert "only instances created later" in caught.value.hint


def test_no_key_at_all_says_what_was_looked_for(sshd: SshServer, home: Path, dial: Dial) -> None:
    with pytest.raises(LinkError, match="no key to offer") as caught:
        dial(known(sshd, home))
    assert "id_ed25519" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "file missing"),
        (b"hello", "no private key"),
        (b"PuTTY-User-Key-File-3: ssh-ed25519\n", "puttygen"),
        (
            b"-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n",
            "damaged",
        ),
        (b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "damaged"),
    ],
)
def test_a_key_file_that_cannot_be_used_is_named_with_its_reason(
    sshd: SshServer, home: Path, dial: Dial, content: bytes | None, reason: str
) -> None:
    target = known(sshd, home)
    path = home / "mykey"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(LinkError) as caught:
        dial(replace(target, identity_files=(str(path),)))
    assert f"{path}: " in str(caught.value)
    assert reason in str(caught.value)


def test_a_server_that_takes_passwords_alone_is_an_error_that_says_so(
    make_sshd: MakeServer, home: Path, dial: Dial, ssh_key: Key
) -> None:
    server = make_sshd(options=["PubkeyAuthentication no", "PasswordAuthentication yes"])
    target = replace(known(server, home), identity_files=(str(ssh_key.path),))
    with pytest.raises(LinkError, match="takes no keys, only password") as caught:
        dial(target)
    assert caught.value.kind == "auth"


def test_a_second_factor_is_named(
    make_sshd: MakeServer, home: Path, dial: Dial, ssh_key: Key
) -> None:
    server = make_sshd(
        options=["PasswordAuthentication yes", "AuthenticationMethods publickey,password"]
    )
    target = replace(known(server, home), identity_files=(str(ssh_key.path),))
    with pytest.raises(LinkError, match="asks for more: password"):
        dial(target)


class TestWithAnAgent:
    """An agent that holds nine keys, none of which the server knows."""

    @pytest.fixture
    def crowd(self, ssh_agent: Agent, home: Path) -> list[Key]:
        keys = [make_key(home / "agent" / f"key{number}") for number in range(9)]
        for key in keys:
            ssh_agent.add(key)
        return keys

    def test_the_named_key_comes_first(
        self, make_sshd: MakeServer, home: Path, dial: Dial, crowd: list[Key], ssh_key: Key
    ) -> None:
        server = make_sshd(options=["MaxAuthTries 2"])
        target = replace(known(server, home), identity_files=(str(ssh_key.path),))
        assert dial(target).alive
        assert offered(server) == [ssh_key.fingerprint]

    def test_identities_only_offers_no_other_key(
        self, make_sshd: MakeServer, home: Path, dial: Dial, crowd: list[Key]
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
        self, make_sshd: MakeServer, home: Path, dial: Dial, crowd: list[Key]
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
        self, make_sshd: MakeServer, home: Path, dial: Dial, crowd: list[Key]
    ) -> None:
        server = make_sshd(options=["MaxAuthTries 3"])
        with pytest.raises(LinkError, match=r"closed the connection after \d keys") as caught:
            dial(known(server, home))
        assert caught.value.kind == "auth"
        assert caught.value.hint is not None
        assert "IdentitiesOnly yes" in caught.value.hint

    def test_the_usual_file_still_gets_its_turn(
        self, ssh_box: SshServer, dial: Dial, crowd: list[Key]
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


@pytest.mark.parametrize("kind", ["ed25519", "rsa", "ecdsa"])
def test_a_certificate_beside_the_key_logs_in(
    make_sshd: MakeServer, home: Path, dial: Dial, kind: str, tmp_path: Path
) -> None:
    authority = make_key(tmp_path / "ca")
    key = make_key(home / "keys" / "id", kind)
    server = make_sshd(
        make_key(tmp_path / "unused"), options=[f"TrustedUserCAKeys {authority.path}.pub"]
    )
    target = replace(known(server, home), identity_files=(str(key.path),))
    with pytest.raises(LinkError):
        dial(target)
    sign_key(authority, key, "-n", server.user)
    assert dial(target).alive


def test_a_key_on_a_token_that_the_server_takes_is_left_to_ssh(
    make_sshd: MakeServer, home: Path, dial: Dial, token_key: Key
) -> None:
    server = make_sshd(token_key)
    with pytest.raises(NeedsOpenSsh, match="FIDO"):
        dial(replace(known(server, home), identity_files=(str(token_key.path),)))


def test_a_key_on_a_token_that_the_server_refuses_is_just_refused(
    sshd: SshServer, home: Path, dial: Dial, token_key: Key
) -> None:
    with pytest.raises(LinkError, match="refuses 1 key"):
        dial(replace(known(sshd, home), identity_files=(str(token_key.path),)))
