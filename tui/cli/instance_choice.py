"""Which instance of which provider is meant by a word on the command line; none is ever guessed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from tui.actions.instance_gate import NOT_REACHED
from tui.actions.instance_plan import Bound
from tui.boxes import Box, InstanceName, SshTarget
from tui.cli.remembered import remembered
from tui.cli.session import Session
from tui.config.settings import BoxSettings
from tui.errors import UserError, closest
from tui.providers.account import Accounts
from tui.providers.base import Instance
from tui.providers.command import has_provider
from tui.providers.errors import ProviderError
from tui.providers.factory import Made, providers_of
from tui.rent import COMMAND
from tui.rented.opening import has_commands, provider_named
from tui.rented.places import places_of
from tui.rented.tie import box_of
from tui.targets import configured_box, default_roots, parse_target
from tui.text import one_line, said

MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class Chosen:
    """The instance that is meant, bound by its id.

    ``box_for`` returns the box to look at its runs with; one with a ``fault`` cannot be reached.
    ``kept_as`` and ``text`` say which mirror is its own.
    """

    accounts: Accounts
    bound: Bound
    box_for: Callable[[Instance], Box]
    kept_as: str
    text: str


def choose_instance(session: Session, word: str) -> Chosen:
    """Ask the providers for their lists and find who is meant.

    A word that names its provider asks that one alone: another that is slow or dead stands in
    nobody's way. Looked at in this order: ``PROVIDER:ID``, a box of boxtop.toml, an id, a name
    that only one has, an address. Raises UserError for a word that names none or several, and
    ProviderError where it may be in a list that could not be read.
    """
    made = providers_of(session.configuration.settings)
    for warning in made.warnings:
        session.console.tell(warning)
    accounts = Accounts(made.providers)
    try:
        word = word.strip()
        accounts.refresh(now=True, only=_needed(session, accounts, word))
        return _Choice(session, made, accounts).find(word)
    except BaseException:
        accounts.close()
        raise


def _needed(session: Session, accounts: Accounts, word: str) -> tuple[str, ...] | None:
    """Return the provider that a word names, None where it may be of any."""
    provider, colon, _ = word.partition(":")
    if colon and accounts.provider(provider) is not None:
        return (provider,)
    section = session.names.settings.box.get(word)
    named = None if section is None else provider_named(section)
    return None if named is None else (named,)


class _Choice:
    """The instances of all accounts beside the boxes of boxtop.toml."""

    def __init__(self, session: Session, made: Made, accounts: Accounts) -> None:
        self._names = session.names
        self._data = session.data
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
        found = found or [one for one in self._listed if box_of(one, ()).name == word]
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
        view = self._accounts.view.provider(provider)
        if view is None or view.error is None or view.error.kind != "rate":
            self._check_read(provider)
        return self._bound(Bound(provider, id, box or id), box)

    def _of_box(self, name: str) -> Chosen:
        """Find a box's instance: as boxtop.toml says, by its own commands, or by its address."""
        section = self._boxes[name]
        if section.instance is not None:
            provider, _, id = section.instance.partition(":")
            self._check_known(provider)
            return self._by_id(provider, id, name)
        if has_commands(section):
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
        """Return the instance that a box was when it was seen last, while that one is off.

        Then its provider tells no address to know it by.
        """
        known = set(remembered(self._data, configured_box(name, self._names)))
        for one in self._listed:
            if InstanceName(one.provider, one.id) in known and one.state in NOT_REACHED:
                return one
        return None

    def _chosen(self, instance: Instance, name: str | None = None) -> Chosen:
        name = name or self._name_of(instance)
        return self._bound(Bound.of(instance, name), name)

    def _bound(self, bound: Bound, name: str | None) -> Chosen:
        own = f"{bound.provider}:{bound.id}"
        box = configured_box(name, self._names) if name in self._boxes and name else None
        kept_as, text = (own, own) if box is None else (box.kept_as, box.text)
        accounts = self._accounts
        return Chosen(accounts, bound, lambda now: self._box(now, name), kept_as, text)

    def _name_of(self, instance: Instance) -> str | None:
        """Return the box of boxtop.toml that an instance is, None for none."""
        if instance.provider == COMMAND:
            return instance.id
        own = f"{instance.provider}:{instance.id}"
        for name, section in self._boxes.items():
            if section.instance == own:
                return name
        for name, section in self._boxes.items():
            if section.instance is None and section.path is None and instance in self._at(name):
                return name
        return None

    def _box(self, instance: Instance, name: str | None) -> Box:
        """Return how an instance's files are looked at: at the address that its provider tells.

        What boxtop.toml says may be the address of an earlier box, which somebody else has now. It
        counts where the provider tells none, and where both say the same.
        """
        rented = box_of(instance, default_roots(self._names.settings))
        if name is None:
            return rented
        box = configured_box(name, self._names)
        if instance.provider == COMMAND:
            return box
        own = box.target if isinstance(box.target, SshTarget) else SshTarget("")
        others = [one for one in self._at_target(own) if one.id != instance.id]
        if own.host and (leads_to(own, instance) or (rented.fault and not others)):
            return box
        target = rented.target
        if isinstance(target, SshTarget):
            target = replace(
                target,
                user=own.user or target.user,
                identity_files=own.identity_files,
                jump=own.jump,
            )
        return replace(box, target=target, fault=rented.fault, hint=rented.hint)

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
        return [one for one in self._listed if leads_to(target, one)]

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


def leads_to(target: SshTarget, instance: Instance) -> bool:
    """Whether an address is one of an instance's, as OpenSSH resolves it."""
    own = {(one.host.lower(), one.port or 22) for one in instance.addresses}
    return not own.isdisjoint(places_of(target))
