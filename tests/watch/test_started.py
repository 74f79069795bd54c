"""Only an attempt that a person started may ask whether a changed key shall be replaced."""

from __future__ import annotations

from tests.links.person import Person
from tui.links.base import ChangedKeyQuestion
from tui.watch.started import StartedByPerson

QUESTION = ChangedKeyQuestion("[203.0.113.7]:41022", "ssh-ed25519", ("SHA256:old",), "SHA256:new")


def test_the_first_attempt_asks_and_the_next_ones_only_when_wanted() -> None:
    person = Person(replaces=True)
    started = StartedByPerson(person)
    assert started.begin().replace_host_key(QUESTION)
    assert not started.begin().replace_host_key(QUESTION)
    assert not started.begin().replace_host_key(QUESTION)
    started.want()
    started.want()
    assert started.begin().replace_host_key(QUESTION)
    assert not started.begin().replace_host_key(QUESTION)
    assert len(person.changes) == 2


def test_all_other_questions_pass_at_any_time() -> None:
    person = Person(passphrases=("one", "two"))
    started = StartedByPerson(person)
    assert [started.begin().passphrase("key", 1) for _ in range(2)] == ["one", "two"]
