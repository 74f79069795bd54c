"""A changed host key: it stops everything, unless a person wants exactly its replacement."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.conftest import MakeServer, trust
from tests.links.conftest import Dial
from tests.links.person import Person
from tests.sshd import SshServer
from tui.cli import asker as console
from tui.cli.asker import ConsoleAsker
from tui.links.asking import RefusingAsker
from tui.links.base import Asker, ChangedKeyQuestion, LinkError

QUESTION = ChangedKeyQuestion("[203.0.113.7]:41022", "ssh-ed25519", ("SHA256:old",), "SHA256:new")
OTHERS = (
    b"# a comment\r\n"
    b"[203.0.113.9]:40022 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB0a0a0a0a0a0a0a0a0a"
    b"\n\n   not a line\n"
)
"""Lines of others, not all of them well-formed."""


@pytest.fixture
def known(home: Path) -> Path:
    """The user's known_hosts, with lines of others before and after."""
    directory = home / ".ssh"
    directory.mkdir(mode=0o700)
    path = directory / "known_hosts"
    path.write_bytes(OTHERS)
    path.chmod(0o640)
    return path


@pytest.fixture
def changed(make_sshd: MakeServer, home: Path, known: Path) -> SshServer:
    """A server whose key differs from the known one."""
    server = make_sshd()
    trust(server, home)
    with known.open("ab") as file:
        file.write(b"other.example ssh-rsa AAAA no-newline-at-the-end")
    server.use_host_keys("ed25519")
    server.restart()
    server.log_path.write_text("")
    return server


@pytest.mark.sshd
def test_a_yes_replaces_that_entry_alone_and_goes_on(
    changed: SshServer, known: Path, dial: Dial
) -> None:
    before = known.read_bytes()
    person = Person(replaces=True)
    connection = dial(changed.target, person)
    assert any("is replaced" in notice for notice in connection.notices)
    (asked,) = person.changes
    assert asked.host == changed.host_name
    assert asked.offered == changed.host_key.fingerprint
    assert asked.known != (asked.offered,)
    assert "Accepted publickey" in changed.log
    old = next(line for line in before.splitlines() if changed.host_name.encode() in line)
    new = changed.known_host_lines.strip().encode()
    assert known.read_bytes() == before.replace(old, new)
    assert known.stat().st_mode & 0o777 == 0o640
    again = Person()
    dial(changed.target, again)
    assert again.changes == again.questions == []


@pytest.mark.sshd
@pytest.mark.parametrize("asker", [Person(), Person(accepts=True), RefusingAsker()])
def test_a_no_leaves_the_file_and_sends_nothing(
    changed: SshServer, known: Path, dial: Dial, asker: Asker
) -> None:
    before = known.read_bytes()
    with pytest.raises(LinkError, match=r"CHANGED.*nothing was sent") as caught:
        dial(changed.target, asker)
    assert caught.value.kind == "hostkey_changed"
    assert not caught.value.retried
    assert "ssh-keygen -R" in (caught.value.hint or "")
    assert known.read_bytes() == before
    assert "userauth" not in changed.log


@pytest.mark.sshd
@pytest.mark.parametrize("hosts", ["*", "127.0.0.1"])
def test_a_revoked_key_takes_no_place(
    changed: SshServer, known: Path, dial: Dial, hosts: str
) -> None:
    with known.open("a") as file:
        file.write(f"\n@revoked {hosts} {' '.join(changed.host_key.public.split()[:2])}\n")
    before = known.read_bytes()
    person = Person(replaces=True)
    with pytest.raises(LinkError, match="revoked"):
        dial(changed.target, person)
    assert person.changes == []
    assert known.read_bytes() == before


@pytest.mark.sshd
def test_a_key_that_only_a_pattern_names_is_the_persons_to_edit(
    changed: SshServer, known: Path, dial: Dial
) -> None:
    known.write_bytes(known.read_bytes().replace(b"[127.0.0.1]:", b"[127.0.0.*]:"))
    before = known.read_bytes()
    person = Person(replaces=True)
    with pytest.raises(LinkError, match="CHANGED"):
        dial(changed.target, person)
    assert person.changes == []
    assert known.read_bytes() == before


@pytest.mark.sshd
def test_strict_checking_is_not_argued_with(
    changed: SshServer, home: Path, known: Path, dial: Dial
) -> None:
    (home / ".ssh" / "config").write_text("StrictHostKeyChecking yes\n")
    person = Person(replaces=True)
    with pytest.raises(LinkError, match="CHANGED"):
        dial(changed.target, person)
    assert person.changes == []


@pytest.mark.parametrize(
    ("typed", "answer"),
    [("replace\n", True), ("y\n", False), ("yes\n", False), ("\n", False), ("", False)],
)
def test_at_the_console_the_word_must_be_typed(
    monkeypatch: pytest.MonkeyPatch, typed: str, answer: bool
) -> None:
    said = io.StringIO()
    monkeypatch.setattr(console, "_somebody_is_there", lambda: True)
    monkeypatch.setattr("sys.stderr", said)
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert ConsoleAsker().replace_host_key(QUESTION) is answer
    for words in ("[203.0.113.7]:41022", "key CHANGED", "SHA256:old", "SHA256:new", "replace"):
        assert words in said.getvalue()


def test_neither_a_script_nor_an_option_replaces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("replace\n"))
    assert not ConsoleAsker().replace_host_key(QUESTION)
    monkeypatch.setattr(console, "_somebody_is_there", lambda: True)
    assert not ConsoleAsker(accept_new_host_key=True).replace_host_key(QUESTION)
