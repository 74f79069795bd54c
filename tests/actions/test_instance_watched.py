"""A watched box is looked at for an instance only where it surely is that instance now."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.actions.instance_watched import is_box_of
from tui.boxes import Box, LocalTarget, SshTarget
from tui.providers.base import Address, Instance, State
from tui.rent import COMMAND

OWN = Address("203.0.113.7", 41022)
OTHER = Address("203.0.113.8", 41022)
ALIAS = Address("exp", None, kind="alias")
PROXY = Address("ssh.example", 22, kind="proxy", runs_commands=False)


def told(state: State, *addresses: Address, provider: str = "vast") -> Instance:
    return Instance(provider, "1", "lab", state, addresses=addresses)


def box(target: SshTarget | LocalTarget) -> Box:
    return Box("lab", "lab", target, ("/root/runs",))


@pytest.mark.parametrize(
    ("instance", "is_it"),
    [
        (told(State.RUNNING, OWN), True),
        (told(State.RUNNING, OTHER, OWN), True),
        (told(State.RUNNING, OTHER), False),
        (told(State.RUNNING), True),
        (told(State.RUNNING, PROXY), True),  # reached in a person's own way
        (told(State.RUNNING, OTHER, PROXY), False),
        (told(State.STARTING), False),  # its old address may be another's by now
        (told(State.STOPPING, PROXY), False),
        (told(State.UNKNOWN, provider=COMMAND), True),
    ],
)
def test_an_address_leads_to_an_instance_or_may_be_anothers(
    instance: Instance, is_it: bool
) -> None:
    assert is_box_of(box(SshTarget("203.0.113.7", "root", 41022)), instance) is is_it


def test_an_alias_and_this_machine() -> None:
    assert is_box_of(box(SshTarget("exp")), told(State.RUNNING, ALIAS, OTHER))
    assert not is_box_of(box(SshTarget("other")), told(State.RUNNING, ALIAS, OTHER))
    assert is_box_of(box(LocalTarget(Path("/runs"))), told(State.RUNNING, OWN))
