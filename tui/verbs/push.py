"""`boxtop push`: checkpoints of a run to the Hugging Face Hub, proven to be there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tui.cli.options import Verb, targets_argument
from tui.cli.session import Session
from tui.errors import UserError

if TYPE_CHECKING:
    from tui.actions.cancel import Cancel
    from tui.actions.hub_account import Checked
    from tui.actions.hub_names import Destination
    from tui.actions.hub_token import Token
    from tui.actions.push_plan import PushPlan, Via
    from tui.actions.saving import Saving
    from tui.cli.saving import Chosen


@click.command(cls=Verb, params=[targets_argument(required=True, many=False)])
@click.argument("what", metavar="[best|last|epoch_N|all]...", nargs=-1)
@click.option("--to", metavar="ORG/REPO[/PREFIX]", help="Where to; else [hub] to of boxtop.toml.")
@click.option(
    "--via",
    type=click.Choice(["box", "here"]),
    help="Who uploads: the box, which is given the token, or this machine.",
)
@click.option("--public", is_flag=True, help="Agree to a repository that everybody can read.")
@click.option("--install", is_flag=True, help="Install huggingface_hub on the box if missing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--now", is_flag=True, help="Do not wait for the time that the Hub has named.")
@click.pass_obj
def command(
    session: Session,
    target: str,
    what: tuple[str, ...],
    to: str | None,
    via: Via | None,
    public: bool,
    install: bool,
    yes: bool,
    now: bool,
) -> int:
    """Push checkpoints to the Hugging Face Hub: best.pt and last.pt, or those named.

    One commit holds them with the run's small files. They count as saved once the Hub was seen to
    list every file with its size and hash. Exits with 6 when it was not.
    """
    from tui.cli.saving import choose_run, guarded, saving_of

    chosen = choose_run(session, target, what, "push")
    place = _place(session, chosen, to)
    way: Via = via or session.configuration.settings.hub.via

    def act(cancel: Cancel) -> int:
        from tui.actions.hub_token import find_token
        from tui.cli.earlier import Earlier, what_goes_on
        from tui.cli.embargoed import embargoed

        token = find_token()
        if token.warning:
            session.console.tell(token.warning)
        saving = saving_of(session, chosen.box)
        run = chosen.view.run.path
        try:
            with embargoed(session, place.repo, now), what_goes_on(session, saving, run):
                Earlier(session, saving, token, run, cancel).settle(place.repo)
                checked = _checked(session, saving, token, place, way, install)
                plan = _plan(session, chosen, place, way, public, checked)
                if not _agreed(session, chosen, plan, token, checked, yes):
                    session.console.tell("nothing was pushed")
                    return 0
                return _push(session, saving, token, plan, cancel)
        finally:
            saving.close()

    return guarded(session, act)


def _place(session: Session, chosen: Chosen, to: str | None) -> Destination:
    from tui.actions.hub_names import destination, filled

    if to is not None:
        return destination(to)
    template = session.configuration.settings.hub.to
    if template is None:
        raise UserError(
            "nothing says where to push", "add --to ORG/REPO, or [hub] to in boxtop.toml"
        )
    return filled(template, chosen.view.run.id, chosen.box.name)


def _checked(
    session: Session, saving: Saving, token: Token, place: Destination, via: Via, install: bool
) -> Checked:
    """Ask the Hub; where the box lacks the client, offer to put it there."""
    from tui.actions.hub_problem import HubError
    from tui.cli.saving import asked, somebody_is_there

    try:
        return saving.check(token, place, via)
    except HubError as error:
        if error.problem.kind != "no_client" or via != "box":
            raise
        question = (
            "the box has no huggingface_hub. Install it there, into ~/.cache/boxtop/packages "
            "(the training's own packages are not touched)? [y/N]"
        )
        if not install and not (somebody_is_there() and asked(session, question)):
            raise
    session.console.tell("installing huggingface_hub on the box")
    saving.install(token, place)
    return saving.check(token, place, via)


def _plan(
    session: Session, chosen: Chosen, place: Destination, via: Via, public: bool, checked: Checked
) -> PushPlan:
    from tui.actions.push_plan import PushPlan

    private = session.configuration.settings.hub.private and not public
    return PushPlan(
        box=chosen.box.name,
        run=chosen.view.run,
        names=chosen.names,
        place=place,
        via=via,
        private=private if not checked.place.exists else checked.place.private is not False,
        public=public,
        console=chosen.view.console_path,
        provider=chosen.box.instance.provider if chosen.box.instance else None,
        client=checked.client,
    )


def _agreed(
    session: Session,
    chosen: Chosen,
    plan: PushPlan,
    token: Token,
    checked: Checked,
    yes: bool,
) -> bool:
    """Show what will happen and ask; a repository that everybody can read needs its own yes."""
    from tui.actions.push_words import confirm_lines
    from tui.cli.saving import asked, somebody_is_there

    for line in confirm_lines(plan, chosen.described(), checked, token.source):
        session.console.err.write(f"{line}\n")
    open_to_all = not plan.private and not plan.public
    if open_to_all and not somebody_is_there():
        raise UserError(
            f"{plan.place.repo} is public: everybody could read these weights",
            "add --public to agree to that, or name another repository",
        )
    if yes and not open_to_all:
        return True
    if not somebody_is_there():
        raise UserError("nobody is there to say yes", "add --yes to push from a script")
    if open_to_all:
        return asked(session, "Everybody will be able to read them. Type public:", ("public",))
    return asked(session, "Go on? [y/N]")


def _push(
    session: Session,
    saving: Saving,
    token: Token,
    plan: PushPlan,
    cancel: Cancel,
) -> int:
    from dataclasses import replace

    from tui.actions.push_words import saved_lines
    from tui.cli.progress import ProgressLine
    from tui.report.exit_code import BOX_NOT_READ
    from tui.text import said

    line = ProgressLine(session.console)
    try:
        pushed = saving.push(token, replace(plan, public=not plan.private), line.show, cancel)
    finally:
        line.end()
    session.console.say_all(saved_lines(pushed, plan.place))
    for name, error in pushed.refused.items():
        session.console.tell_error(UserError(f"{said(name)} is NOT saved: {error}", error.hint))
    return BOX_NOT_READ if pushed.refused else 0
