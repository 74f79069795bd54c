"""`boxtop watch TARGET --when-done …`: what is asked for, of which instance, and the typed name."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import closing

from tui.actions.finish_saves import no_place
from tui.actions.finish_wish import Setting, Wish, parse_wish
from tui.actions.finish_words import when_text
from tui.actions.hub_problem import HubError
from tui.actions.hub_token import find_token
from tui.actions.instance import InstanceActions
from tui.actions.instance_can import check_possible
from tui.actions.instance_consequence import gpu_text, now_text
from tui.actions.instance_plan import Bound, NothingToDo, NotPossible
from tui.boxes import Box, RecordingTarget
from tui.cli.instance import forget_typed
from tui.cli.rented import ask_providers, provider_troubles
from tui.cli.saving import somebody_is_there
from tui.cli.session import Session
from tui.config.paths import keeping_problem
from tui.errors import UserError
from tui.fleet import join_boxes
from tui.providers.base import Instance
from tui.rented.asking import Asking
from tui.text import one_line, said


def finish_setting(
    session: Session, targets: Sequence[str], when_done: str, also: str, yes: str | None
) -> Setting:
    """Return the finish line that the command line asks for; a destroy takes the typed name.

    Asks the provider which instance it is. Raises UserError for what can be known at once to be
    not possible.
    """
    if session.read_only:
        raise UserError("--read-only forbids --when-done")
    wish = parse_wish(when_done, also)
    box = _box(session, targets, wish)
    if "push" in wish.saves:
        _check_push(session)
    if wish.end is None:
        if yes is not None:
            raise UserError("--yes names an instance, and --when-done ends none")
        setting = Setting(box.name, wish)
        session.console.tell(when_text(setting))
        return setting
    problem = keeping_problem(session.data)
    if problem is not None:
        raise UserError(f"no {wish.end} without a journal: {problem}", "name another --data-dir")
    asking = ask_providers(session, [box], everything=False)
    if asking is None:
        raise _unrented(box, wish)
    with closing(asking):
        return _bound(session, box, wish, asking, yes)


def _box(session: Session, targets: Sequence[str], wish: Wish) -> Box:
    """Return the box that is meant."""
    boxes = join_boxes(targets, session.names_and_lists_of_now) if targets else ()
    if len(boxes) != 1:
        raise UserError("--when-done takes one TARGET", "F on the screen sets it for other boxes")
    (box,) = boxes
    if isinstance(box.target, RecordingTarget):
        raise UserError(f"{said(box.name)} is a recording: it has nothing to save or to end")
    if wish.end is not None and box.run is not None:
        raise UserError(
            f"--when-done {wish.end} is for all runs of a box, and {box.run} is one of them",
            "name the box alone",
        )
    return box


def _check_push(session: Session) -> None:
    if session.hub.to is None:
        raise no_place()
    try:
        find_token()
    except HubError as error:
        raise UserError(error.problem.message, error.problem.hint) from None


def _bound(session: Session, box: Box, wish: Wish, asking: Asking, yes: str | None) -> Setting:
    """Bind it to the instance that the box is now."""
    assert wish.end is not None
    name = asking.name_of(box)
    told = None if name is None else asking.view().provider(name.provider)
    if told is not None and told.error is not None and told.listed_at is None:
        raise told.error
    seen = None if name is None else asking.view().find(name.provider, name.id)
    if name is None or seen is None or seen.gone_maybe:
        for trouble in provider_troubles(asking):
            session.console.tell_error(trouble)
        raise (
            _unrented(box, wish)
            if name is None
            else UserError(
                f"{name.provider} lists no instance {said(name.id)}: nothing to {wish.end}"
            )
        )
    instance = seen.instance
    provider = asking.opened.accounts.provider(name.provider)
    bound = Bound.of(instance, box.name)
    try:
        assert provider is not None
        check_possible(wish.end, bound, instance, provider.capabilities)
    except NothingToDo as so:
        raise UserError(str(so)) from None
    except NotPossible as error:
        if error.never:
            raise UserError(str(error), error.hint) from None
    names = InstanceActions(asking.opened.accounts, session.data).names(bound)
    typed = _typed(session, Setting(box.name, wish, bound, names[0]), instance, names, yes)
    return Setting(box.name, wish, bound, typed)


def _typed(
    session: Session, wanted: Setting, instance: Instance, names: Sequence[str], yes: str | None
) -> str | None:
    """Return the name as it was typed; a stop needs none."""
    console, bound = session.console, wanted.bound
    console.tell(when_text(wanted))
    price = now_text(instance.rate_now, instance.rate_assumed)
    console.tell(f"{bound}: {gpu_text(instance)}, {instance.state}, bills {price}")
    if yes is None and wanted.wish.end == "stop":
        return None
    name = one_line(names[0], 80)
    if yes is None:
        if not somebody_is_there():
            raise UserError(
                f"nobody is there to name what is to be destroyed: {bound}",
                f"add --yes NAME; --yes {name} would let boxtop destroy it",
            )
        forget_typed()
        console.err.write(f"Type {name} to let boxtop destroy it then: ")
        console.err.flush()
        yes = sys.stdin.readline()
    if yes.strip() not in names:
        typed = one_line(yes.strip(), 80)
        raise UserError(
            f"{typed!r} was typed, and this is {bound}: no finish line is set",
            f"{name} would let boxtop {wanted.wish.end} it",
        )
    return yes.strip()


def _unrented(box: Box, wish: Wish) -> UserError:
    return UserError(
        f"nobody is known who rents {said(box.name)} out: --when-done cannot {wish.end} it",
        f"see [providers] and [box.NAME] in boxtop.toml, or leave {wish.end} out",
    )
