from __future__ import annotations

from dataclasses import replace

import pytest

from tui.boxes import Box, InstanceName, LocalTarget, SshTarget
from tui.providers.account import AccountsView, ProviderView, Seen
from tui.providers.base import Address, Instance, State
from tui.providers.errors import ProviderError
from tui.rented.tie import reach, still, tie, unnamed

DIRECT = Address("203.0.113.7", 41022)
PROXY = Address("ssh5.vast.ai", 12345, kind="proxy")


def instance(id: str = "123", provider: str = "vast", **facts: object) -> Instance:
    given = {"state": State.RUNNING, "addresses": (DIRECT, PROXY), **facts}
    return Instance(provider, id, f"box {id}", **given)  # type: ignore[arg-type]


def ssh(name: str, host: str, port: int | None = None) -> Box:
    return Box(name, host, SshTarget(host, "root", port))


def test_a_box_is_the_instance_at_its_address() -> None:
    boxes = [ssh("lab", "203.0.113.7", 41022), ssh("other", "203.0.113.7", 22)]
    assert tie(boxes, [instance()]) == {"lab": InstanceName("vast", "123")}


def test_a_way_through_the_proxy_leads_to_the_same_instance() -> None:
    assert "lab" in tie([ssh("lab", "SSH5.vast.ai", 12345)], [instance()])


def test_an_alias_of_the_ssh_configuration_is_asked_where_it_leads() -> None:
    def places(target: SshTarget) -> frozenset[tuple[str, int]]:
        return frozenset({(target.host, 22), ("203.0.113.7", 41022)})

    assert "lab" in tie([ssh("lab", "gpu1")], [instance()], places)
    assert "sky" in tie(
        [ssh("sky", "mycluster")],
        [instance("mycluster", "skypilot", addresses=(Address("mycluster", kind="alias"),))],
    )


def test_an_address_that_two_instances_claim_says_nothing() -> None:
    assert tie([ssh("lab", "203.0.113.7", 41022)], [instance("1"), instance("2")]) == {}


def test_what_the_configuration_says_comes_before_any_address() -> None:
    named = Box(
        "lab", "x", SshTarget("203.0.113.7", "root", 41022), instance=InstanceName("vast", "9")
    )
    assert tie([named], [instance()]) == {"lab": InstanceName("vast", "9")}


def test_a_box_with_commands_of_its_own_is_its_own_instance() -> None:
    own = instance("lab", "command", addresses=())
    assert tie([ssh("lab", "198.51.100.2")], [own]) == {"lab": InstanceName("command", "lab")}


def test_a_directory_of_this_machine_is_no_instance() -> None:
    from pathlib import Path

    assert tie([Box("here", ".", LocalTarget(Path()))], [instance()]) == {}


def test_direct_comes_before_proxy_and_a_failing_address_makes_room_for_the_next() -> None:
    first, fault, _ = reach(instance())
    assert (first.host, first.port, fault) == ("203.0.113.7", 41022, None)
    assert reach(instance(), 1)[0].host == "ssh5.vast.ai"
    assert reach(instance(), 2)[0].host == "203.0.113.7"


def test_a_host_key_is_kept_under_the_instances_name() -> None:
    target, _, _ = reach(instance())
    assert target.host_key_alias == "boxtop-vast-123"
    alias = instance("c", "skypilot", addresses=(Address("c", kind="alias"),))
    assert reach(alias)[0].host_key_alias is None


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (State.STOPPED, "it is stopped"),
        (State.QUEUED, "its start is queued"),
        (State.TERMINATING, "it is being destroyed"),
    ],
)
def test_an_old_address_of_a_box_that_is_off_is_not_used(state: State, words: str) -> None:
    target, fault, _ = reach(instance(state=state))
    assert target.host == ""
    assert fault is not None and words in fault


def test_a_gateway_without_commands_is_explained() -> None:
    gateway = Address(
        "ssh.runpod.io", 22, kind="proxy", runs_commands=False, note="expose TCP port 22"
    )
    _, fault, _ = reach(instance(provider="runpod", addresses=(gateway,)))
    assert fault == "no way in: expose TCP port 22"


def test_every_instance_that_nobody_named_becomes_a_box() -> None:
    known = Box("lab", "vast:1", SshTarget(""), instance=InstanceName("vast", "1"))
    rented = [
        instance("1", addresses=()),
        instance("2", addresses=()),
        instance("3", state=State.GONE),
    ]
    (found,) = unnamed(rented, tie([known], rented), ["/root/runs"])
    assert (found.name, found.kept_as, found.from_provider) == ("box-2", "vast:2", True)
    assert found.roots == ("/root/runs",)


def test_two_instances_of_one_name_are_two_boxes() -> None:
    twins = [
        Instance("vast", "1", "train", State.RUNNING),
        Instance("vast", "2", "train", State.RUNNING),
    ]
    assert [box.name for box in unnamed(twins, {}, [])] == ["train-1", "train-2"]
    assert [box.name for box in unnamed(twins[:1], {}, [], ["train"])] == ["train-1"]
    third = Instance("vast", "3", "train-1", State.RUNNING)
    names = [box.name for box in unnamed([*twins, third], {}, [])]
    assert names == ["vast:1", "train-2", "train-1"], "no name is another one's"


def test_who_answers_first_decides_no_name() -> None:
    """Two accounts have a box of one name: no reply alone may take it."""
    here = Instance("vast", "1", "train", State.RUNNING)
    there = Instance("runpod", "a", "train", State.RUNNING)
    assert [box.name for box in unnamed([here], {}, [], awaited=[there])] == ["train-1"]
    assert [box.name for box in unnamed([there], {}, [], awaited=[here])] == ["train-a"]
    gone = replace(there, state=State.GONE)
    assert [box.name for box in unnamed([here], {}, [], awaited=[gone, here])] == ["train"]


def test_a_hostile_name_is_no_name_of_a_box() -> None:
    rented = [Instance("vast", "7", "\x1b[2J/../..;rm", State.RUNNING)]
    (box,) = unnamed(rented, {}, [])
    assert box.name == "2J-..-..-rm"
    nameless = [Instance("vast", "7", "///", State.RUNNING)]
    assert next(iter(unnamed(nameless, {}, []))).name == "vast-7"


def test_commands_of_its_own_come_before_an_address_and_a_price_alone_after_it() -> None:
    lab = ssh("lab", "203.0.113.7", 41022)
    ends = instance("lab", "command", addresses=(), allowed=frozenset({"stop"}))
    assert tie([lab], [instance(), ends]) == {"lab": InstanceName("command", "lab")}
    priced = instance("lab", "command", addresses=(), allowed=frozenset(), state=State.UNKNOWN)
    assert tie([lab], [instance(), priced]) == {"lab": InstanceName("vast", "123")}


VAST = InstanceName("vast", "123")


def listed(*seen: Instance, error: bool = False, gone: str = "") -> AccountsView:
    problem = ProviderError("server", "503") if error else None
    at = None if error else 1.0
    view = ProviderView("vast", tuple(map(Seen, seen)), at, problem, gone=frozenset(gone.split()))
    return AccountsView((view,))


@pytest.mark.parametrize(
    ("view", "holds"),
    [
        (listed(instance(state=State.STOPPED, addresses=(PROXY,))), True),
        (listed(instance(state=State.QUEUED)), True),
        (listed(instance(addresses=(PROXY,))), True),
        (listed(instance()), False),
        (listed(instance("9")), False),
        (listed(error=True), True),
        (listed(gone="123"), True),
        (AccountsView(()), False),
    ],
)
def test_what_a_box_was_counts_while_no_address_tells_it(view: AccountsView, holds: bool) -> None:
    assert still({"lab": VAST}, view) == ({"lab": VAST} if holds else {})
    assert still({"lab": VAST}, view, [VAST]) == {}
