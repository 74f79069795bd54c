"""Logging in: every kind of key, and errors that say what was wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import MakeServer
from tests.links.conftest import Dial
from tests.links.ssh.conftest import known
from tests.ssh_keys import Key, make_key, sign_key
from tests.sshd import SshServer
from tui.boxes import SshTarget
from tui.links.base import LinkError
from tui.links.ssh.openssh_needed import NeedsOpenSsh

pytestmark = pytest.mark.sshd


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
