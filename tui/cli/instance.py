"""`boxtop stop`, `start` and `destroy` step by step: who is meant, the question, the end."""

from __future__ import annotations

import sys
import termios
from collections.abc import Callable, Iterable

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.instance import InstanceActions
from tui.actions.instance_consequence import plan_lines
from tui.actions.instance_gate import Sight
from tui.actions.instance_plan import (
    Consent,
    GateRefused,
    Moment,
    NothingToDo,
    NotPossible,
    Plan,
)
from tui.actions.instance_words import (
    moment_progress,
    question,
    report_lines,
    sent_text,
    unsent_text,
)
from tui.cli.instance_choice import Chosen, choose_instance
from tui.cli.instance_sight import sight_of
from tui.cli.progress import ProgressLine
from tui.cli.rented import book_of
from tui.cli.saving import asked, somebody_is_there
from tui.cli.session import Session
from tui.errors import UserError
from tui.money.advice import Line
from tui.providers.account import Accounts
from tui.providers.base import Action, Reply
from tui.providers.errors import ProviderError
from tui.rented.book import Book
from tui.report.exit_code import INTERRUPTED, NOT_CONFIRMED, REFUSED_BY_GATE, USAGE, WELL
from tui.report.lines import Paper, Span, pad
from tui.text import one_line, said

_HEADING = 12
_STYLES = {"plain": "", "good": "green", "bad": "red", "dim": "dim"}
_USAGE = ("usage", "denied")


def act_on(
    session: Session, action: Action, word: str, *, yes: str | None, lose_weights: bool = False
) -> int:
    """Find the instance, show what will happen, ask, do it, and tell what the list says.

    Returns the exit code. Raises UserError.
    """
    if session.read_only:
        raise UserError(f"--read-only forbids {action}")
    if yes is None and not somebody_is_there():
        raise UserError(
            f"nobody is there to be asked: nothing was sent to {action} {one_line(word, 80)}",
            f"add --yes NAME to {action} it from a script; the name is the one of the instance",
        )
    return _guarded(session, lambda: _acted(session, action, word, yes, lose_weights))


def _acted(session: Session, action: Action, word: str, yes: str | None, lose_weights: bool) -> int:
    try:
        chosen = choose_instance(session, word)
    except KeyboardInterrupt:
        session.console.tell("nothing was sent")
        raise
    book = book_of(session)
    try:
        _count(book, chosen.accounts)
        if chosen.doubt is not None:
            raise chosen.doubt
        sight = sight_of(session, chosen)
        return _Act(session, chosen, sight).do(action, yes, lose_weights)
    finally:
        _count(book, chosen.accounts)
        chosen.accounts.close()


def _count(book: Book | None, accounts: Accounts) -> None:
    """Count what was paid until now: what is stopped bills less from then on."""
    if book is not None:
        for provider in accounts.view.providers:
            book.take(provider)


def _guarded(session: Session, act: Callable[[], int]) -> int:
    """Run an action; whatever ends it before anything is sent becomes lines and an exit code."""
    tell = session.console.tell_error
    try:
        return act()
    except NothingToDo as so:
        session.console.tell(f"{said(str(so))}; nothing was sent")
        return WELL
    except GateRefused as error:
        tell(UserError(str(error), error.hint))
        return REFUSED_BY_GATE
    except NotPossible as error:
        tell(UserError(str(error), error.hint))
        return USAGE if error.never else NOT_CONFIRMED
    except ProviderError as error:
        tell(UserError(f"{error}; nothing was sent", error.hint))
        return NOT_CONFIRMED
    except ActionError as error:
        tell(UserError(str(error), error.hint))
        return USAGE if error.kind in _USAGE else NOT_CONFIRMED


class _Act:
    """One action on the terminal, or in a script."""

    def __init__(self, session: Session, chosen: Chosen, sight: Sight) -> None:
        self._session = session
        self._chosen = chosen
        self._sight = sight
        self._actions = InstanceActions(chosen.accounts, session.data)
        self._line = ProgressLine(session.console)
        self._cancel = Cancel()
        self._reply: Reply | None = None
        self._sent = False

    def do(self, action: Action, yes: str | None, lose_weights: bool) -> int:
        """Plan, ask, act, tell. Raises what InstanceActions raises."""
        try:
            plan = self._actions.plan(
                action, self._chosen.bound, self._sight, self._show, self._cancel
            )
        except KeyboardInterrupt:
            self._session.console.tell("nothing was sent")
            raise
        finally:
            self._line.end()
        self._tell(plan_lines(plan))
        try:
            consent = self._ask(plan) if yes is None else self._scripted(plan, yes, lose_weights)
        except KeyboardInterrupt:
            self._session.console.tell(unsent_text(plan))
            raise
        if consent is None:
            self._session.console.tell(unsent_text(plan))
            return REFUSED_BY_GATE if plan.refused else WELL
        return self._act(plan, consent)

    def _act(self, plan: Plan, consent: Consent) -> int:
        console = self._session.console
        try:
            report = self._actions.act(plan, consent, self._sight, self._show, self._cancel)
        except GateRefused as error:
            self._line.end()
            self._tell(Line("gate", one.text, "bad") for one in error.judgement.refusals)
            raise
        except KeyboardInterrupt:
            self._line.end()
            console.tell(sent_text(plan, self._reply) if self._sent else unsent_text(plan))
            return INTERRUPTED
        finally:
            self._line.end()
        console.say_all(_text(report_lines(report), console.paper))
        if report.outcome == "unwatched":
            return INTERRUPTED
        return WELL if report.well else NOT_CONFIRMED

    def _scripted(self, plan: Plan, yes: str, lose_weights: bool) -> Consent:
        """Return what a script agreed to. Raises UserError for another name, GateRefused."""
        if not plan.is_named(yes):
            raise UserError(
                f"--yes names {one_line(yes, 80)!r}, and this is {plan.bound}: nothing was sent",
                f"--yes {said(plan.names[0], 80)} would {plan.action} it",
            )
        if plan.refused and not lose_weights:
            assert plan.judgement is not None
            message = f"{plan.bound} was not touched: the gate refuses to {plan.action} it"
            hint = "save the weights first, or add --lose-weights to lose what is listed"
            raise GateRefused(plan.judgement, message, hint, changed=False)
        return Consent(yes, lose_weights)

    def _ask(self, plan: Plan) -> Consent | None:
        """Ask the person; None for a no. A name typed below the list agrees to losing that."""
        forget_typed()
        if plan.needs == "yes":
            return Consent() if asked(self._session, question(plan)) else None
        err = self._session.console.err
        err.write(f"{question(plan)} ")
        err.flush()
        typed = sys.stdin.readline().strip()
        return Consent(typed, plan.refused) if plan.is_named(typed) else None

    def _show(self, moment: Moment) -> None:
        self._sent = self._sent or moment.stage in ("sending", "waiting")
        self._reply = moment.reply or self._reply
        self._line.show(moment_progress(moment))

    def _tell(self, lines: Iterable[Line]) -> None:
        console = self._session.console
        for text in _text(lines, _plain(console.paper)):
            console.err.write(f"{text}\n")
        console.err.flush()


def _text(lines: Iterable[Line], paper: Paper) -> Iterable[str]:
    """Yield lines as wide as the paper is, each below its heading."""
    listed = list(lines)
    wide = _HEADING if any(line.heading for line in listed) else 0
    for number, line in enumerate(listed):
        title = number == 0 and not line.heading
        first = "" if title or not wide else pad(line.heading, wide)
        span = Span(one_line(line.text, 2000), _STYLES[line.tone])
        yield from paper.flow([span], first, " " * (0 if title else wide))


def _plain(paper: Paper) -> Paper:
    """Return the paper of stderr, which has no colours."""
    import msgspec

    return msgspec.structs.replace(paper, colour=False)


def forget_typed() -> None:
    """Drop what was typed before the question was there: it answers another one."""
    try:
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    except (termios.error, OSError, ValueError):
        return
