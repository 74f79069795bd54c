"""Which box is which instance of which provider, and a box for each instance nobody named. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from tui.boxes import Box, InstanceName, SshTarget, Target
from tui.providers.account import AccountsView
from tui.providers.base import Address, Instance, State
from tui.rent import COMMAND
from tui.text import one_line

Place = tuple[str, int]
"""Host, in small letters, and port."""

Places = Callable[[SshTarget], Collection[Place]]
"""Where an address may lead: as it was typed, and as the OpenSSH configuration has it."""

_NAME = re.compile(r"[^A-Za-z0-9._+-]+")
_WAITING = {
    State.STARTING: "it is starting",
    State.QUEUED: "its start is queued",
    State.RUNNING: "it runs, but has no address yet",
    State.STOPPING: "it is stopping",
    State.STOPPED: "it is stopped",
    State.FAILED: "it failed to start",
    State.TERMINATING: "it is being destroyed",
    State.GONE: "it is gone",
}

_OFF = frozenset({State.STOPPED, State.QUEUED, State.TERMINATING, State.GONE})
"""States in which an old address leads nowhere, or to somebody else's box."""


def typed_place(target: SshTarget) -> frozenset[Place]:
    """Return where an address leads by its own words."""
    return frozenset({(target.host.lower(), target.port or 22)})


def tie(
    boxes: Iterable[Box], instances: Iterable[Instance], places: Places = typed_place
) -> Mapping[str, InstanceName]:
    """Return which instance each box is, by the box's name; a box that is none has no entry.

    By what boxtop.toml says (``instance``, or commands of its own), else by the address: a host
    and port, or an alias of the OpenSSH configuration. A price alone comes last.
    """
    known = list(instances)
    by_place = _by_place(known)
    own = {one.id: not has_price_alone(one) for one in known if one.provider == COMMAND}
    tied: dict[str, InstanceName] = {}
    for box in boxes:
        name = box.mirror or box.name
        found = box.instance
        if found is None and not own.get(name):
            found = _at(box.target, by_place, places)
        if found is None and name in own:
            found = InstanceName(COMMAND, name)
        if found is not None:
            tied[box.name] = found
    return tied


def has_price_alone(one: Instance) -> bool:
    """Whether an instance is a box of boxtop.toml with a price, and nothing that tells or acts."""
    is_told = bool(one.allowed or one.warnings) or one.state is not State.UNKNOWN
    return one.provider == COMMAND and not is_told


def billed_alone(boxes: Iterable[Box], tied: Mapping[str, InstanceName]) -> Mapping[str, bool]:
    """Return whether the own price of each of these boxes is its bill: another may bill it."""
    return {
        box.mirror or box.name: box.name not in tied or tied[box.name].provider == COMMAND
        for box in boxes
    }


def still(
    known: Mapping[str, InstanceName], view: AccountsView, taken: Iterable[InstanceName] = ()
) -> Mapping[str, InstanceName]:
    """Return what still holds of which instance each box was, where no address tells it now.

    An instance that is off, or whose list cannot be read, tells none; one that runs elsewhere is
    that box no more, and neither is one that is another box by its address (``taken``).
    """
    others = set(taken)
    return {box: name for box, name in known.items() if name not in others and _holds(name, view)}


def _holds(name: InstanceName, view: AccountsView) -> bool:
    provider, seen = view.provider(name.provider), view.find(name.provider, name.id)
    if provider is None or name.provider == COMMAND:
        return False
    if seen is None:
        unread = provider.error is not None or provider.listed_at is None
        return unread or name.id in provider.gone
    one = seen.instance
    is_told = any(address.kind != "proxy" for address in one.addresses)
    return one.state in _OFF or not is_told


def _by_place(instances: Iterable[Instance]) -> Mapping[Place | str, InstanceName | None]:
    """Map places and aliases to instances; one that two instances claim says nothing."""
    found: dict[Place | str, InstanceName | None] = {}
    for one in instances:
        name = InstanceName(one.provider, one.id)
        for address in one.addresses:
            key = _key(address)
            found[key] = name if found.get(key, name) == name else None
    return found


def own_places(instance: Instance) -> frozenset[Place]:
    """Return where an instance's own addresses lead."""
    return frozenset((one.host.lower(), one.port or 22) for one in instance.addresses)


def _key(address: Address) -> Place | str:
    if address.kind == "alias":
        return address.host
    return address.host.lower(), address.port or 22


def _at(
    target: Target, by_place: Mapping[Place | str, InstanceName | None], places: Places
) -> InstanceName | None:
    if not isinstance(target, SshTarget) or not by_place:
        return None
    named = by_place.get(target.host)
    if named is not None:
        return named
    found = {by_place.get(place) for place in places(target)} - {None}
    return found.pop() if len(found) == 1 else None


def reach(instance: Instance, turn: int = 0) -> tuple[SshTarget, str | None, str | None]:
    """Return how an instance is reached, and why not with the next step where it is not.

    ``turn`` counts attempts that failed: of several addresses the next one is taken each time. The
    host key is kept under the instance's own name: addresses are given out again, ids are not.
    """
    addresses = () if instance.state in _OFF else instance.addresses
    usable = [address for address in addresses if address.runs_commands]
    if not usable:
        shell_only = next((one.note for one in addresses if one.note), None)
        why = _WAITING.get(instance.state, f"its state is {one_line(instance.raw_state, 40)}")
        return SshTarget(""), f"no way in: {shell_only or why}", _next_step(instance)
    address = usable[turn % len(usable)]
    alias = None if address.kind == "alias" else instance.host_key_name
    target = SshTarget(address.host, address.user, address.port, host_key_alias=alias)
    return target, None, None


def _next_step(instance: Instance) -> str | None:
    if instance.state is State.STOPPED:
        return "`boxtop start` starts it again; its disk bills on meanwhile"
    if instance.state is State.QUEUED:
        return "it may start, and bill, at any hour; `boxtop stop` cancels that"
    return one_line(instance.reason, 200) if instance.reason else None


def box_of(instance: Instance, roots: Sequence[str]) -> Box:
    """Return a box for an instance that nobody named; its mirror goes by the instance."""
    own = InstanceName(instance.provider, instance.id)
    target, fault, hint = reach(instance)
    return Box(
        name=_NAME.sub("-", instance.name).strip("-.")[:64] or f"{own.provider}-{own.id}",
        text=str(own),
        target=target,
        roots=tuple(roots),
        mirror=str(own),
        fault=fault,
        hint=hint,
        instance=own,
        from_provider=True,
    )


def unnamed(
    instances: Iterable[Instance],
    tied: Mapping[str, InstanceName],
    roots: Sequence[str],
    taken: Iterable[str] = (),
    awaited: Iterable[Instance] = (),
) -> Iterator[Box]:
    """Yield a box for each instance that is no box yet and is not gone, under a free name.

    Of several that are called alike each has its id behind that, whoever answers first. ``awaited``
    are those of accounts that were listed earlier, and not yet now.
    """
    listed = list(instances)
    known, names = set(tied.values()), set(taken)
    called = _names(*listed, *awaited)
    for one in listed:
        own = InstanceName(one.provider, one.id)
        if own in known or not _is_box(one):
            continue
        box = box_of(one, roots)
        free = (
            name
            for name in (box.name, long_name(one))
            if name not in names and called.get(name, {own}) == {own}
        )
        box = replace(box, name=next(free, str(own)))
        names.add(box.name)
        yield box


def long_name(instance: Instance) -> str:
    """Return the name of an instance among others that are called alike: ``train-700001``."""
    return f"{box_of(instance, ()).name}-{instance.id}"


def _is_box(one: Instance) -> bool:
    return one.state is not State.GONE and one.provider != COMMAND


def _names(*instances: Instance) -> Mapping[str, set[InstanceName]]:
    """Return who is called how, each instance once."""
    called: dict[str, set[InstanceName]] = {}
    for one in filter(_is_box, instances):
        called.setdefault(box_of(one, ()).name, set()).add(InstanceName(one.provider, one.id))
    return called
