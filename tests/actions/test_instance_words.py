"""What is said of an instance's runs leads on as it stands."""

from __future__ import annotations

import re

import pytest

from tui.actions.instance_words import unwatched_text
from tui.providers.base import Address, Instance, State
from tui.targets import parse_target

PATH = "/workspace/LibreYOLO/runs/detect/exp"


@pytest.mark.parametrize(
    "address",
    [Address("203.0.113.7", 41022), Address("2001:db8::5", 41022), Address("lab.example", None)],
    ids=lambda address: address.host,
)
def test_a_run_that_nobody_watches_is_named_as_the_command_line_takes_it(address: Address) -> None:
    proxy = Address("ssh.example", 22, kind="proxy", runs_commands=False)
    instance = Instance("vast", "1", "lab", State.RUNNING, addresses=(proxy, address))
    told = re.search(r"`boxtop pull (\S+)`", unwatched_text("pull", instance, PATH))
    assert told is not None
    box = parse_target(told[1])
    assert box.roots == (PATH,)
    assert box.target == address.target


def test_without_an_address_no_command_is_made_up() -> None:
    instance = Instance("vast", "1", "lab", State.STOPPED)
    assert "takes its address and path" in unwatched_text("push", instance, PATH)
