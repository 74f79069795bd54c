"""Pushes that a training made by itself: looked for at the Hub, and proven like any other."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import groupby

from tui.actions.hub_names import check_path, destination
from tui.actions.hub_proof import PushedFile, differences
from tui.actions.hub_remote import RemoteHub
from tui.actions.hub_token import Token, find_token
from tui.actions.push_plan import is_checkpoint
from tui.errors import UserError
from tui.runs.claims import Claim, unproven
from tui.runs.proofs import ProofFile


class Recogniser:
    """Asks the Hub with this machine's token. Only a repository that it may write to counts.

    What a box says of another's repository may be true and saves nothing of ours.
    """

    def __init__(
        self,
        token: Callable[[], Token] = find_token,
        endpoint: str | None = None,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._token = token
        self._endpoint = endpoint
        self._wall = wall

    def look(self, data: bytes, proofs: ProofFile) -> bool:
        """Keep proofs of what the Hub lists as claimed; whether there are new ones.

        Raises HubError where that cannot be asked, OSError where a proof cannot be kept.
        """
        open_ = sorted(filter(_makes_sense, unproven(data, proofs)), key=_commit)
        found: list[Claim] = []
        if open_:
            remote = RemoteHub(self._token(), self._endpoint)
            for (repo, commit), claimed in groupby(open_, key=_commit):
                found += self._listed(remote, repo, commit, list(claimed))
        proofs.add(claim.proof(self._wall()) for claim in found)
        return bool(found)

    def _listed(
        self, remote: RemoteHub, repo: str, commit: str, claimed: Sequence[Claim]
    ) -> list[Claim]:
        place = remote.check(repo).place
        if not place.exists or place.writable is False:
            return []
        listed = remote.listing(repo, sorted({one.path for one in claimed}), commit)
        return [one for one in claimed if not differences([_file(one)], listed)]


def _commit(claim: Claim) -> tuple[str, str]:
    return claim.repo, claim.commit


def _file(claim: Claim) -> PushedFile:
    return PushedFile(claim.path, claim.size, claim.sha256)


def _makes_sense(claim: Claim) -> bool:
    if not is_checkpoint(claim.name) or "/" in claim.name:
        return False
    try:
        check_path(claim.path)
        return destination(claim.repo).repo == claim.repo
    except UserError:
        return False
