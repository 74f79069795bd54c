"""Which instance of which provider is meant by a word on the command line; none is ever guessed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import get_args

from tui.actions.instance_gate import NOT_REACHED
from tui.actions.instance_plan import Bound
from tui.actions.journal import Journal
from tui.boxes import Box, SshTarget
from tui.cli.session import Session
from tui.config.settings import BoxSettings
from tui.errors import UserError, closest
from tui.providers.account import Accounts
from tui.providers.base import Action, Address, Instance
from tui.providers.command import has_provider
from tui.providers.errors import ProviderError
from tui.providers.factory import Made, providers_of
from tui.targets import configured_box, default_roots, parse_target
from tui.text import one_line, said

COMMAND = "command"
ACTIONS = get_args(Action)
MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class Chosen:
    """The instance that is meant, bound by its id, and the box that it is.

    ``box`` is how its runs are looked at, None where nobody knows a way; ``why`` says so then.
    """

    accounts: Accounts
    bound: Bound
    box: Box | None
    why: str = ""


def choose_instance(session: Session, word: str) -> Chosen:
    """Ask all providers for their lists and find who is meant.

    Looked at in this order: ``PROVIDER:ID``, a box of boxtop.toml, an id, a name that only one
    has, an address. Raises UserError for a word that names none or several, and ProviderError
    where it may be in a list that could not be read.
    """
    made = providers_of(session.configuration.settings)
    for warning in made.warnings:
        session.console.tell(warning)
    accounts = Accounts(made.providers)
    try:
        accounts.refresh(now=True)
        return _Choice(session, made, accounts).find(word.strip())
    except BaseException:
        accounts.close()
        raise


class _Choice:
    """The instances of all accounts beside the boxes of boxtop.toml."""

    def __init__(self, session: Session, made: Made, accounts: Accounts) -> None:
        self._names = session.names
        self._journal = Journal(session.data)
        self._made = made
        self._accounts = accounts
        self._listed = [one.instance for one in accounts.view.seen if not one.gone_maybe]

    @property
    def _boxes(self) -> Mapping[str, BoxSettings]:
        return self._names.settings.box

    def find(self, word: str) -> Chosen:
        provider, colon, id = word.partition(":")
        if colon and self._accounts.provider(provider) is not None:
            return self._by_id(provider, id)
        if word in self._boxes:
            return self._of_box(word)
        found = [one for one in self._listed if one.id == word]
        found = found or [one for one in self._listed if one.name == word]
        found = found or self._at(word)
        if len(found) > 1:
            raise UserError(f"{one_line(word, 80)!r} is {len(found)} instances", _these(found))
        if not found:
            raise self._unknown(word)
        return self._chosen(found[0])

    def _by_id(self, provider: str, id: str, box: str | None = None) -> Chosen:
        """Bind an exact id, also one that is not listed: it may be gone already."""
        found = next(
            (one for one in self._listed if (one.provider, one.id) == (provider, id)), None
        )
        if found is not None:
            return self._chosen(found, box)
        self._check_read(provider)
        bound = Bound(provider, id, box or id)
        return Chosen(self._accounts, bound, None, "its provider does not list it")

    def _of_box(self, name: str) -> Chosen:
        """Find a box's instance: as boxtop.toml says, by its own commands, or by its address."""
        section = self._boxes[name]
        if section.instance is not None:
            provider, _, id = section.instance.partition(":")
            self._check_known(provider)
            return self._by_id(provider, id, name)
        if any((section.stop, section.start, section.destroy, section.state)):
            return self._by_id(COMMAND, name, name)
        found = self._at_target(configured_box(name, self._names).target)
        if len(found) == 1:
            return self._chosen(found[0], name)
        if not found and (known := self._remembered(name)) is not None:
            return self._chosen(known, name)
        if has_provider(section) and not found:
            return self._by_id(COMMAND, name, name)
        for each in self._made.providers:
            self._check_read(each.name)
        raise UserError(
            f"nobody knows who rents {name} out",
            f'say it in [box.{name}]: instance = "vast:123", or stop, start and destroy commands',
        )

    def _remembered(self, name: str) -> Instance | None:
        """Return the instance that a box was at its last action, while that is off.

        Then its provider tells no address to know it by.
        """
        for entry in reversed(list(self._journal.entries())):
            if entry.box != name or entry.action not in ACTIONS:
                continue
            asked = entry.asked
            own = (asked.get("provider"), asked.get("id"))
            found = next((one for one in self._listed if (one.provider, one.id) == own), None)
            return found if found is not None and found.state in NOT_REACHED else None
        return None

    def _chosen(self, instance: Instance, name: str | None = None) -> Chosen:
        name = name or self._name_of(instance)
        box, why = self._box(instance, name)
        return Chosen(self._accounts, Bound.of(instance, name), box, why)

    def _name_of(self, instance: Instance) -> str | None:
        """Return the box of boxtop.toml that an instance is, None for none."""
        if instance.provider == COMMAND:
            return instance.id
        own = f"{instance.provider}:{instance.id}"
        for name, section in self._boxes.items():
            if section.instance == own:
                return name
        for name, section in self._boxes.items():
            if section.instance is None and section.ssh is not None and instance in self._at(name):
                return name
        return None

    def _box(self, instance: Instance, name: str | None) -> tuple[Box | None, str]:
        """Return how an instance's files are looked at: at the address that its provider tells.

        What boxtop.toml says may be the address of an earlier box, which somebody else has now. It
        counts where the provider tells none, and where both say the same.
        """
        settings = self._names.settings
        box = configured_box(name, self._names) if name is not None else None
        address = instance.watched_by
        if box is not None and (instance.provider == COMMAND or address is None):
            return (None, "its box has no address") if _has_no_way(box) else (box, "")
        if address is None:
            note = next((one.note for one in instance.addresses if one.note), None)
            return None, note or f"its provider tells no address (it is {instance.state})"
        own = f"{instance.provider}:{instance.id}"
        if box is None:
            roots = default_roots(settings)
            box = Box(own, own, SshTarget(""), roots, mirror=own)
        elif isinstance(box.target, SshTarget) and instance in self._at_target(box.target):
            return box, ""
        return replace(box, target=_reached(instance, address, box), fault=None), ""

    def _at(self, word: str) -> list[Instance]:
        try:
            box = parse_target(word, self._names)
        except UserError:
            return []
        return self._at_target(box.target)

    def _at_target(self, target: object) -> list[Instance]:
        """Return the instances that one address reaches, as OpenSSH resolves it."""
        if not isinstance(target, SshTarget) or not target.host:
            return []
        places = _places(target)
        return [one for one in self._listed if places & _own_places(one.addresses)]

    def _check_known(self, provider: str) -> None:
        """Raise for a provider that is not in use, with the reason."""
        if self._accounts.provider(provider) is not None:
            return
        problem = self._made.problems.get(provider)
        if problem is not None:
            raise UserError(str(problem), problem.hint)
        raise UserError(f"{provider} is not in use", f"add [providers.{provider}] to boxtop.toml")

    def _check_read(self, provider: str) -> None:
        """Raise the ProviderError of a list that could not be read: it may be in there."""
        self._check_known(provider)
        view = self._accounts.view.provider(provider)
        if view is not None and view.error is not None:
            raise view.error

    def _unknown(self, word: str) -> Exception:
        """Return why nothing is found: an unread list, or a word that is none."""
        shown = one_line(word, 80)
        errors = [view.error for view in self._accounts.view.providers if view.error is not None]
        if errors:
            message = f"{shown!r} is in no list that could be read; {errors[0]}"
            return ProviderError(errors[0].kind, message, errors[0].hint)
        problems = "; ".join(str(problem) for problem in self._made.problems.values())
        if not self._made.providers:
            message = problems or "no provider is in use, and no box has commands of its own"
            hint = "add [providers.vast] (or runpod, lambda, skypilot) to boxtop.toml"
            return UserError(message, hint)
        names = {one.name for one in self._listed} | set(self._boxes)
        near = closest(word, list(names))
        hint = f"did you mean {said(near, 80)}? " if near else ""
        known = _these(self._listed) or "no instance is listed"
        more = f"; {problems}" if problems else ""
        return UserError(f"{shown!r} is no instance and no box", f"{hint}{known}{more}")


def _these(instances: Iterable[Instance]) -> str:
    listed = [f"{said(one.name, 40)} ({one.provider}:{said(one.id, 40)})" for one in instances]
    more = f" and {len(listed) - MOST_NAMED} more" if len(listed) > MOST_NAMED else ""
    return f"there are: {', '.join(listed[:MOST_NAMED])}{more}" if listed else ""


def _has_no_way(box: Box) -> bool:
    return isinstance(box.target, SshTarget) and not box.target.host


def _reached(instance: Instance, address: Address, box: Box) -> SshTarget:
    """Return the provider's address with the keys and the way of the box.

    The host key is kept under the instance's own name: addresses are given out again, ids are not.
    """
    own = box.target if isinstance(box.target, SshTarget) else SshTarget("")
    return replace(
        own,
        host=address.host,
        port=address.port,
        user=own.user or address.user,
        host_key_alias=None if address.kind == "alias" else instance.host_key_name,
    )


def _places(target: SshTarget) -> set[tuple[str, int]]:
    from tui.links.base import LinkError
    from tui.links.ssh.config import resolve

    places = {(target.host.lower(), target.port or 22)}
    try:
        hop = resolve(target).box
    except LinkError:
        return places
    return places | {(hop.hostname.lower(), hop.port)}


def _own_places(addresses: Iterable[Address]) -> set[tuple[str, int]]:
    return {(one.host.lower(), one.port or 22) for one in addresses}
