"""The gate's eyes: a box over its shell, the Hub as seen from here, and copies on this machine."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

from tui.actions.errors import ActionError
from tui.actions.gate_facts import ELSEWHERE, FoundRun, Seen
from tui.actions.gate_proofs import KeptProofs
from tui.actions.gate_survey import Survey, survey
from tui.actions.hub_problem import HubError
from tui.actions.hub_proof import ListedFile
from tui.actions.shell import Shell
from tui.actions.snapshot import Weight, list_weights
from tui.boxes import Box
from tui.runs.mirrors import Mirrors
from tui.runs.proofs import Proof, ProofFile
from tui.text import one_line, said
from tui.view import BoxView

SITE = "hf://"
COPY_READS = 3

Listing = Callable[[str, Sequence[str], str], Sequence[ListedFile]]
"""What a commit of a repository lists of some paths: ``RemoteHub.listing``; raises HubError."""


class BoxEyes:
    """Looks at one box. ``view`` returns what is followed of it now.

    ``proofs`` returns a run's proofs, and may raise LookupError for a run that nobody follows.

    ``roots`` are all that runs are looked for below, whatever the view shows, ``earlier`` the paths
    of runs that were seen on it at any time; ``listing`` is None where there is no token, and then
    nothing at the Hub counts. ``kept`` are the proofs of other boxes and runs.
    """

    def __init__(
        self,
        shell: Shell,
        view: Callable[[], BoxView],
        proofs: Callable[[str], ProofFile],
        roots: Sequence[str] = (),
        listing: Listing | None = None,
        earlier: Sequence[str] = (),
        kept: KeptProofs | None = None,
    ) -> None:
        self._shell = shell
        self._view = view
        self._proofs = proofs
        self._roots = tuple(roots)
        self._listing = listing
        self._earlier = tuple(earlier)
        self._kept = kept

    def runs(self) -> Sequence[FoundRun]:
        """Return the runs of the view. Raises ActionError("unreachable") while its link is down."""
        view = self._view()
        if view.link.state != "live":
            why = view.link.error or f"its link is {view.link.state}"
            raise ActionError("unreachable", said(why), view.link.hint)
        return [FoundRun.of(one.run) for one in view.runs]

    def survey(self, runs: Sequence[str], *, widely: bool = False) -> Survey:
        """Search the box itself. Raises ActionError."""
        roots = dict.fromkeys([*self._roots, *self._view().searched])
        if not roots:
            raise ActionError("usage", "nobody knows where runs lie on this box")
        if not widely:
            return survey(self._shell, runs, list(roots))
        return survey(self._shell, runs, list(roots), self._earlier, ELSEWHERE)

    def weights(self, run: str, names: Sequence[str]) -> Sequence[Weight]:
        """Read checkpoints to their end, there. Raises ActionError."""
        return list_weights(self._shell, run, full=True, names=names)

    def proofs(self, run: str) -> Sequence[Proof]:
        """Return all proofs that were kept, those of vanished copies too; none of a new run."""
        try:
            return self._proofs(run).all()
        except LookupError:
            return ()

    def same(self, size: int, sha256: str) -> Sequence[Proof]:
        """Return the proofs of such bytes under every name of a box."""
        return () if self._kept is None else self._kept.of(size, sha256)

    def look_at(self, proof: Proof) -> Seen:
        """Ask the Hub for a commit's file, or hash a copy anew. Raises ActionError."""
        if not proof.on_hub:
            return seen_copy(proof.where)
        if self._listing is None:
            raise ActionError("denied", "there is no token to ask the Hub with")
        return seen_at_hub(proof, self._listing)

    def look_again(self, proof: Proof, seen: Seen) -> Seen:
        """Ask the Hub once more; what a copy holds is known while nobody touched it.

        Who makes a backup of a copy touches it, too: then it is hashed anew. Raises ActionError.
        """
        if not proof.on_hub and mark_of(proof.where) == seen.mark:
            return seen
        return self.look_at(proof)


def seen_earlier(data: Path, box: Box) -> tuple[str, ...]:
    """Return the paths of all runs that a box's mirror knows, also below roots of another day."""
    mirror = Mirrors(data).box(box.kept_as, one_line(box.text))
    return tuple(run.meta.path for run in mirror.runs())


def seen_copy(path: str) -> Seen:
    """Return size and sha256 of a file of this machine, read anew.

    What was touched meanwhile is read again: a backup changes no byte of it. Raises ActionError in
    words.
    """
    from tui.onbox.mounts import is_over_ssh

    if is_over_ssh(path):
        raise ActionError("refused", "it lies on a disk mounted over ssh, which may be the box's")
    earlier: Seen | None = None
    for _ in range(COPY_READS):
        seen = _read_copy(path)
        if seen == earlier or seen.mark == mark_of(path):
            return seen
        earlier = seen
    raise ActionError("changed", "it changed while it was read")


def _read_copy(path: str) -> Seen:
    from tui.onbox.archive import digest

    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            before = os.fstat(descriptor)
            if not stat.S_ISREG(before.st_mode):
                raise ActionError("refused", "it is no regular file")
            size, sha256 = digest(file)
        return Seen(size, sha256, _mark(before))
    except FileNotFoundError:
        raise ActionError("missing", "it is not there any more") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise ActionError("unreadable", reason or said(str(error), 200)) from None


def mark_of(path: str) -> tuple[int, ...]:
    """Return what changes with each touch of a file of this machine, empty where none is."""
    try:
        return _mark(Path(path).stat())
    except (OSError, ValueError):
        return ()


def _mark(info: os.stat_result) -> tuple[int, ...]:
    return (info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)


def seen_at_hub(proof: Proof, listing: Listing) -> Seen:
    """Return size and sha256 that a commit lists of a proof's file. Raises ActionError in words."""
    repo, path = hub_place(proof.where)
    commit = proof.commit or ""
    try:
        listed = [one for one in listing(repo, [path], commit) if one.path == path]
    except HubError as error:
        raise ActionError("unreachable", str(error)) from None
    if len(listed) != 1:
        raise ActionError("missing", "the Hub does not list it any more")
    if listed[0].sha256 is None:
        raise ActionError("protocol", "the Hub tells no sha256 of it")
    return Seen(listed[0].size, listed[0].sha256)


def hub_place(where: str) -> tuple[str, str]:
    """Return repository and path of ``hf://owner/name/path``. Raises ActionError("usage")."""
    parts = where.removeprefix(SITE).split("/", 2)
    if not where.startswith(SITE) or len(parts) != 3 or not all(parts):
        raise ActionError("usage", f"{said(where, 200)} names no file of the Hub")
    return f"{parts[0]}/{parts[1]}", parts[2]
