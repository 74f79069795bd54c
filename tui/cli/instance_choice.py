"""Which instance of which provider is meant by a word on the command line; none is ever guessed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tui.actions.instance_gate import NOT_REACHED
from tui.actions.instance_plan import Bound
from tui.boxes import Box, InstanceName, SshTarget
from tui.cli.instance_listed import Listed
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
from tui.rented.listings import Listings
from tui.rented.opening import has_commands, provider_named
from tui.rented.places import places_of
from tui.rented.tie import box_of, long_name, own_places
from tui.targets import configured_box, default_roots, parse_target
from tui.text import one_line, said

MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class Chosen:
    """The instance that is meant, bound by its id.

    ``box_for`` returns the box to look at its runs with; one with a ``fault`` cannot be reached.
    ``kept_as`` and ``text`` say which mirror is its own. ``doubt`` says why another may have the
    same name.
    """

    accounts: Accounts
    bound: Bound
    box_for: Callable[[Instance], Box]
    kept_as: str
    text: str
    doubt: ProviderError | None = None


def choose_instance(session: Session, word: str) -> Chosen:
    """Ask the providers for their lists and find who is meant.

    A word that names its provider asks that one alone: another that is slow or dead stands in
    nobody's way. Looked at in this order: ``PROVIDER:ID``, a box of boxtop.toml, an id or a name
    that only one has, an address. Where no list comes, the last one that came tells who is asked
    for by the id. Raises UserError for a word that names none or several, and ProviderError where
    it may be in a list that could not be read.
    """
    made = providers_of(session.configuration.settings)
    for warning in made.warnings:
        session.console.tell(warning)
    accounts = Accounts(made.enabled, owners=made.owners)
    accounts.remember(Listings(session.data).earlier)
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
        self._listed = Listed(accounts, session.console.tell)

    @property
    def _boxes(self) -> Mapping[str, BoxSettings]:
        return self._names.settings.box

    def find(self, word: str) -> Chosen:
        provider, colon, id = word.partition(":")
        if colon and self._accounts.provider(provider) is not None:
            return self._by_id(provider, id)
        if word in self._boxes:
            return self._of_box(word)
        if found := self._only(word, self._listed.found(lambda one: _is_called(one, word))):
            is_id = found.id == word
            doubt = None if is_id else self._listed.doubt(word, found)
            return replace(self._chosen(found), doubt=doubt)
        if found := self._only(word, self._at(word)):
            return self._chosen(found)
        raise self._unknown(word)

    def _only(self, word: str, found: Sequence[Instance]) -> Instance | None:
        """Return the one that is meant, None for none. Raises UserError for several."""
        if len(found) > 1:
            raise UserError(f"{one_line(word, 80)!r} is {len(found)} instances", _these(found))
        return found[0] if found else None

    def _by_id(self, provider: str, id: str, box: str | None = None) -> Chosen:
        """Bind an exact id, also one that is not listed: it may be gone already."""
        found = self._listed.of_now(provider, id)
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
        found = self._only(name, self._at_target(configured_box(name, self._names).target))
        found = found or self._remembered(name)
        if found is not None:
            return self._chosen(found, name)
        self._check_all_read(name)
        if has_provider(section):
            return self._by_id(COMMAND, name, name)
        raise UserError(
            f"nobody knows who rents {name} out",
            f'say it in [box.{name}]: instance = "vast:123", or stop, start and destroy commands',
        )

    def _remembered(self, name: str) -> Instance | None:
        """Return the instance that a box was when it was seen last, while that one is off.

        Then its provider tells no address to know it by.
        """
        known = set(remembered(self._data, configured_box(name, self._names)))

        def is_it(one: Instance) -> bool:
            return InstanceName(one.provider, one.id) in known and one.state in NOT_REACHED

        return next(iter(self._listed.found(is_it)), None)

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
            if section.instance is None and section.path is None:
                target = self._target(name)
                if target is not None and leads_to(target, instance):
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
        others = [one for one in self._listed.all if one.id != instance.id]
        is_anothers = any(leads_to(own, one) for one in others)
        if own.host and (leads_to(own, instance) or (rented.fault and not is_anothers)):
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

    def _target(self, word: str) -> SshTarget | None:
        """Return the address that a word is, or that a box of boxtop.toml has."""
        try:
            target = parse_target(word, self._names).target
        except UserError:
            return None
        return target if isinstance(target, SshTarget) and target.host else None

    def _at(self, word: str) -> list[Instance]:
        return self._at_target(self._target(word))

    def _at_target(self, target: object) -> list[Instance]:
        """Return the instances that one address reaches, as OpenSSH resolves it."""
        if not isinstance(target, SshTarget) or not target.host:
            return []
        return self._listed.found(lambda one: leads_to(target, one))

    def _check_known(self, provider: str) -> None:
        """Raise for a provider that is not in use, with the reason."""
        problem = self._made.problems.get(provider)
        if problem is not None:
            raise UserError(str(problem), problem.hint)
        if self._accounts.provider(provider) is None:
            hint = f"add [providers.{provider}] to boxtop.toml"
            raise UserError(f"{provider} is not in use", hint)

    def _check_read(self, provider: str) -> None:
        """Raise the ProviderError of a list that could not be read: it may be in there."""
        self._check_known(provider)
        view = self._accounts.view.provider(provider)
        if view is not None and view.error is not None:
            raise view.error

    def _check_all_read(self, box: str) -> None:
        """Raise ProviderError where a box by its address may be in a list that was not read."""
        for view in self._accounts.view.providers:
            if (error := view.error) is not None:
                message = f"who rents {box} out is not known: {error}"
                raise ProviderError(error.kind, message, error.hint)

    def _unknown(self, word: str) -> Exception:
        """Return why nothing is found: an unread list, or a word that is none."""
        shown = one_line(word, 80)
        errors = [view.error for view in self._accounts.view.providers if view.error is not None]
        if errors:
            message = f"{shown!r} is in no list that could be read; {errors[0]}"
            return ProviderError(errors[0].kind, message, errors[0].hint)
        if not self._made.enabled:
            message = "no provider is in use, and no box has commands of its own"
            hint = "add [providers.vast] (or runpod, lambda, skypilot) to boxtop.toml"
            return UserError(message, hint)
        names = {one.name for one in self._listed.all} | set(self._boxes)
        near = closest(word, list(names))
        hint = f"did you mean {said(near, 80)}? " if near else ""
        known = _these(self._listed.all) or "no instance is listed"
        return UserError(f"{shown!r} is no instance and no box", f"{hint}{known}")


def _these(instances: Iterable[Instance]) -> str:
    listed = [f"{said(one.name, 40)} ({one.provider}:{said(one.id, 40)})" for one in instances]
    more = f" and {len(listed) - MOST_NAMED} more" if len(listed) > MOST_NAMED else ""
    return f"there are: {', '.join(listed[:MOST_NAMED])}{more}" if listed else ""


def _is_called(one: Instance, word: str) -> bool:
    """Whether a word is an instance's id, its name at its provider, or that of its box."""
    return word in (one.id, one.name, box_of(one, ()).name, long_name(one))


def leads_to(target: SshTarget, instance: Instance) -> bool:
    """Whether an address is one of an instance's, as OpenSSH resolves it."""
    own = own_places(instance)
    return not own.isdisjoint(places_of(target))
