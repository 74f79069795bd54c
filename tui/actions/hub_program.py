"""The Hub program at work, on a box or here: asked, followed, and its ends understood."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.hub_account import Checked, checked
from tui.actions.hub_errors import problem_of
from tui.actions.hub_facts import Asked
from tui.actions.hub_problem import HubError, HubProblem
from tui.actions.hub_proof import PushedFile, is_commit, pushed_files
from tui.actions.program import Program
from tui.actions.progress import Progress, Rate, measured
from tui.actions.replies import Message
from tui.actions.shell import Shell
from tui.runs.words import rough_text
from tui.text import said

MODULE = "hub"
NO_XET = "HF_HUB_DISABLE_XET"
CHECK_SECONDS = 90.0
INSTALL_SECONDS = 620.0
FOLLOW_IDLE_SECONDS = 60.0
"""The program gives a sign of life every few seconds for as long as the upload runs."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an upload ended. ``commit`` is the id that the program says; ``problem`` why it failed.

    ``landed`` tells of a failed one whether its commit is there: None cannot be told. ``absent`` is
    the problem once the commit is known not to be there.
    """

    ok: bool
    commit: str | None
    private: bool | None
    files: tuple[PushedFile, ...]
    problem: HubProblem | None
    landed: bool | None
    absent: HubProblem | None = None


class HubProgram:
    """Starts the program for each question over a shell. ``endpoint`` None is the usual Hub."""

    def __init__(self, shell: Shell, endpoint: str | None, asked: Asked) -> None:
        self._shell = shell
        self._endpoint = endpoint
        self._asked = asked

    def check(self, token: str, repo: str) -> Checked:
        """Ask who the token is and what it may do there, from where the upload will run.

        Raises HubError, or ActionError when the program cannot run.
        """
        request = {"op": "check", "token": token, "repo": repo, "endpoint": self._endpoint}
        asked = {**request, "disable_xet": xet_is_off()}
        return checked(self._answer(asked, "check", CHECK_SECONDS), repo)

    def install(self) -> None:
        """Put the client into a directory of its own on the box. Raises HubError, ActionError."""
        self._answer({"op": "install"}, "installed", INSTALL_SECONDS)

    def push(
        self,
        request: Mapping[str, Any],
        tell: Callable[[Progress], None],
        cancel: Cancel,
        started: Callable[[], None] = lambda: None,
    ) -> Outcome:
        """Begin an upload and follow it to its end. It goes on when the connection breaks.

        ``started`` is called as soon as it lives on its own.
        Raises ActionError ("lost" and others) when it can be followed no longer, HubError when it
        could not be begun.
        """
        asked = {**request, "op": "push", "endpoint": self._endpoint}
        return self._follow({**asked, "disable_xet": xet_is_off()}, tell, cancel, started)

    def attach(self, job: str, tell: Callable[[Progress], None], cancel: Cancel) -> Outcome:
        """Follow an upload that was begun earlier; raises as ``push`` does."""
        return self._follow({"op": "attach", "job": job}, tell, cancel)

    def cancel(self, job: str) -> Outcome:
        """End an upload, and return how it ended. Raises HubError, ActionError."""
        return self._outcome(self._answer({"op": "cancel", "job": job}, "result", CHECK_SECONDS))

    def forget(self, job: str) -> None:
        """Remove what the program keeps of an upload that has ended."""
        self._answer({"op": "forget", "job": job}, "forgotten", CHECK_SECONDS)

    def _answer(self, request: Mapping[str, Any], kind: str, seconds: float) -> Mapping[str, Any]:
        with Program(self._shell, MODULE, request) as program:
            done = program.result(program.first, seconds)
        return self._of(done, kind)

    def _follow(
        self,
        request: Mapping[str, Any],
        tell: Callable[[Progress], None],
        cancel: Cancel,
        started: Callable[[], None] = lambda: None,
    ) -> Outcome:
        rate, stage = Rate(), ""
        with closing(Program(self._shell, MODULE, request)) as program:
            cancel.ends(program.close)
            done: object = None
            for reply in program.replies(program.first, FOLLOW_IDLE_SECONDS, idle=True):
                values = reply.values if isinstance(reply, Message) else {}
                if "started" in values:
                    started()
                if isinstance(values.get("progress"), dict):
                    if values["progress"].get("stage") != stage:
                        rate, stage = Rate(), values["progress"].get("stage")
                    tell(_progress(values["progress"], rate))
                done = values.get("done", done)
        return self._outcome(self._of(done, "result"))

    def _of(self, done: object, kind: str) -> Mapping[str, Any]:
        """Return the answer of this kind. Raises HubError, ActionError for nonsense."""
        values = done if isinstance(done, dict) else {}
        if isinstance(values.get("error"), dict):
            raise HubError(problem_of(values["error"], self._asked))
        found = values.get(kind)
        if kind in ("installed", "forgotten"):
            return {}
        if not isinstance(found, dict):
            raise ActionError("protocol", "a reply of the box makes no sense")
        return found

    def _outcome(self, result: Mapping[str, Any]) -> Outcome:
        landed = result.get("landed")
        landed = landed if isinstance(landed, bool) else None
        ok = result.get("ok") is True
        error = result.get("error")
        problem = absent = None
        if not ok:
            facts = error if isinstance(error, dict) else {}
            problem = problem_of(facts, self._asked, landed)
            absent = problem_of(facts, self._asked, False)
        commit, private = result.get("commit"), result.get("private")
        return Outcome(
            ok,
            commit if is_commit(commit) else None,
            private if isinstance(private, bool) else None,
            pushed_files(result.get("files")),
            problem,
            True if ok else landed,
            absent,
        )


def xet_is_off(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether the user wants no xet, as the client itself is told so."""
    return environment.get(NO_XET, "").upper() in ("1", "ON", "YES", "TRUE")


def push_request(
    *,
    token: str,
    repo: str,
    job: str,
    files: Sequence[Mapping[str, Any]],
    message: str,
    private: bool,
    public: bool,
    cleanup: str | None,
) -> dict[str, Any]:
    """Return what the program is asked for: see ``tui.onbox.hub``."""
    return {
        **{"token": token, "repo": repo, "job": job, "files": list(files)},
        **{"message": message, "private": private, "allow_public": public, "cleanup": cleanup},
    }


def _progress(values: Mapping[str, Any], rate: Rate) -> Progress:
    stage = said(str(values.get("stage") or "uploading"), 20)
    done, total = _bytes(values.get("done")), _bytes(values.get("total"))
    waiting, stalled = _seconds(values.get("waiting_s")), _seconds(values.get("stalled_s"))
    note = ""
    if waiting is not None:
        note = f"the Hub asks to wait {rough_text(waiting)}"
    elif stalled is not None:
        note = f"stalled: nothing moved for {rough_text(stalled)}"
    return measured(rate, stage, "", done, total, note)


def _seconds(value: object) -> float | None:
    """Return a time that makes sense."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e9:
        return None
    return float(value)


def _bytes(value: object) -> int | None:
    return value if type(value) is int and 0 <= value < 1 << 60 else None
