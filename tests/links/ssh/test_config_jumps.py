"""The way to a host: jump after jump as ssh takes them."""

from __future__ import annotations

import pytest

from tests.links.ssh.config_user import User, way
from tui.boxes import SshTarget
from tui.links.base import LinkError
from tui.links.ssh.config import parse_address


def test_jumps_are_chained_left_to_right_with_their_own_configuration(either: User) -> None:
    either.copy("SSH-09")
    local_user = either.ask("203.0.113.99").box.user
    assert way(either.ask("gpu1")) == (
        f"{local_user}@203.0.113.10:2222 -> ops@203.0.113.20:2200 -> root@10.0.0.5:22"
    )


def test_proxyjump_none_is_a_direct_connection(either: User) -> None:
    either.copy("SSH-09")
    assert either.ask("gpu2").jumps == ()


def test_a_jump_host_for_all_hosts_is_not_reached_through_itself(either: User) -> None:
    either.copy("SSH-09")
    assert either.ask("gw").jumps == ()
    assert [hop.alias for hop in either.ask("elsewhere").jumps] == ["gw"]


def test_jumps_in_a_circle_are_an_error(user: User) -> None:
    user.write("Host a\n  ProxyJump b\nHost b\n  ProxyJump a\n")
    with pytest.raises(LinkError, match="leads back") as caught:
        user.ask("a")
    assert caught.value.kind == "usage"


def test_the_first_jump_host_may_have_a_jump_host_of_its_own(either: User) -> None:
    either.write("Host box\n  ProxyJump inner\nHost inner\n  ProxyJump outer\n")
    assert [hop.alias for hop in either.ask("box").jumps] == ["outer", "inner"]


def test_a_jump_of_the_target_replaces_a_proxy_command(either: User) -> None:
    either.write("Host box\n  ProxyCommand nc %h %p\n")
    assert either.ask("box").box.proxy_command == "nc box 22"
    plan = either.ask("box", jump="ops@[2001:db8::6]:2200")
    assert plan.box.proxy_command is None
    assert plan.jumps[0].address == "ops@[2001:db8::6]:2200"


@pytest.mark.parametrize(
    ("text", "user", "host", "port"),
    [
        ("gw", None, "gw", None),
        ("ops@203.0.113.20:2200", "ops", "203.0.113.20", 2200),
        ("ssh://ops@gw:22", "ops", "gw", 22),
        ("[2001:db8::6]:22", None, "2001:db8::6", 22),
        ("2001:db8::6", None, "2001:db8::6", None),
    ],
)
def test_addresses_of_jump_hosts(text: str, user: str | None, host: str, port: int | None) -> None:
    assert parse_address(text) == SshTarget(host, user, port)


def test_an_address_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(LinkError, match="no address"):
        parse_address("a:b:c@d e")
