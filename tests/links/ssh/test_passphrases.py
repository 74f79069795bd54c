"""Encrypted keys: whether and how often a person is asked for the passphrase."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import MakeServer
from tests.links.conftest import Dial
from tests.links.person import Person
from tests.links.ssh.conftest import known
from tests.ssh_keys import make_key
from tui.links.base import LinkError

pytestmark = pytest.mark.sshd


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
