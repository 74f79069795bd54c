"""The Hub as seen from this machine: a push from a box counts only when it is seen from here.

The real client of this machine is asked; ``huggingface_hub`` is imported when the first question
comes. Every method may take ``SECONDS`` and raises HubError.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from tui.actions.hub_account import Checked, checked
from tui.actions.hub_errors import problem_of
from tui.actions.hub_facts import Asked
from tui.actions.hub_problem import HubError
from tui.actions.hub_proof import (
    Difference,
    ListedFile,
    PushedFile,
    differences,
    listed_files,
)
from tui.actions.hub_token import Token

if TYPE_CHECKING:
    from huggingface_hub import HfApi

T = TypeVar("T")

SECONDS = 30.0
SETTINGS = {
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    "HF_HUB_DISABLE_UPDATE_CHECK": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
}


@dataclass(frozen=True, slots=True)
class Verified:
    """What the Hub says from here of a push: saved when nothing differs."""

    commit: str
    listed: tuple[ListedFile, ...]
    differences: tuple[Difference, ...]

    @property
    def saved(self) -> bool:
        """Whether every file is listed as it was pushed."""
        return bool(self.listed) and not self.differences


class RemoteHub:
    """One token's view of the Hub."""

    def __init__(self, token: Token, endpoint: str | None = None) -> None:
        self._token = token
        self._endpoint = endpoint or os.environ.get("HF_ENDPOINT") or None
        self._asked = Asked(source=token.source, host=_host(self._endpoint))
        self._api: HfApi | None = None

    def asked(self, repo: str) -> Asked:
        """Return what is known before anything was asked, for wording what fails."""
        return replace(self._asked, repo=repo)

    def check(self, repo: str) -> Checked:
        """Ask who the token belongs to, what it may do there, and what is there."""
        from tui.onbox.hub_account import check

        return checked(self._ask("check", repo, lambda api: check(api, repo, SECONDS)), repo)

    def head(self, repo: str) -> str | None:
        """Return the newest commit of a repository, None when there is no such repository."""
        from tui.onbox.hub_account import look_at

        sha = self._ask("check", repo, lambda api: look_at(api, repo, SECONDS)).get("sha")
        return sha if isinstance(sha, str) else None

    def listing(self, repo: str, paths: Sequence[str], commit: str) -> tuple[ListedFile, ...]:
        """Return what a commit lists of these paths; those it does not have are left out."""
        from tui.onbox.hub_listing import listing

        wanted = list(paths)
        values = self._ask("verifying", repo, lambda api: listing(api, repo, wanted, commit))
        return listed_files(values)

    def verify(self, repo: str, commit: str, files: Iterable[PushedFile]) -> Verified:
        """Compare what was pushed with what the commit lists, as seen from here."""
        pushed = tuple(files)
        listed = self.listing(repo, [file.path for file in pushed], commit)
        return Verified(commit, listed, differences(pushed, listed))

    def find(
        self, repo: str, files: Iterable[PushedFile], seen: set[str] | None = None
    ) -> Verified | None:
        """Look for a push whose answer got lost; None when no newest commit has it.

        Commits in ``seen`` are not asked for again; those without it are put there.
        """
        from tui.onbox.hub_listing import find_commit

        pushed = tuple(files)

        def fits(values: list[dict[str, object]]) -> bool:
            return bool(pushed) and not differences(pushed, listed_files(values))

        paths, known = [file.path for file in pushed], set() if seen is None else seen
        found = self._ask("verifying", repo, lambda api: find_commit(api, repo, paths, fits, known))
        if found is None:
            return None
        return Verified(found[0], listed_files(found[1]), ())

    def _ask(self, stage: str, repo: str, question: Callable[[HfApi], T]) -> T:
        from tui.onbox.hub_facts import error_facts

        try:
            return question(self._client())
        except Exception as error:  # noqa: BLE001 - whatever the client raises is the answer
            facts = error_facts(error, stage, (self._token.secret,))
            raise HubError(problem_of(facts, self.asked(repo))) from None

    def _client(self) -> HfApi:
        """Return the client. Its session has no limit of time, and may be another each time."""
        if self._api is None:
            for name, value in SETTINGS.items():
                os.environ.setdefault(name, value)
            from huggingface_hub import HfApi

            logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
            self._api = HfApi(endpoint=self._endpoint, token=self._token.secret)
        from huggingface_hub import get_session

        get_session().timeout = SECONDS
        return self._api


def _host(endpoint: str | None) -> str:
    return (endpoint or "https://huggingface.co").split("://", 1)[-1].split("/", 1)[0]
