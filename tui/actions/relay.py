"""Weights that pass through this machine on their way to the Hub: no token leaves it."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.hub_kept import kept
from tui.actions.progress import Progress, Rate, measured
from tui.actions.pull_lanes import Lanes
from tui.actions.pull_part import Part
from tui.actions.replies import Data
from tui.actions.shell import Shell
from tui.actions.snapshot import READ_IDLE_SECONDS, Snapshot, TakenFile
from tui.onbox.owners import is_left, own
from tui.text import one_line

FOLDER = "~/.cache/boxtop/relay"
PREFIX = ".boxtop-"


@dataclass(slots=True)
class Relay:
    """A directory of this machine, and the files as they lie there."""

    folder: Path
    files: list[TakenFile]
    handed_over: bool = False

    def hand_over(self) -> None:
        """Leave the directory to the uploader, which has made itself its owner."""
        self.handed_over = True


@contextmanager
def relayed(
    shell: Shell, held: Snapshot, tell: Callable[[Progress], None], cancel: Cancel
) -> Iterator[Relay]:
    """Fetch everything of a snapshot into a directory of this machine, each byte proven.

    The directory goes with the end of the block unless it was handed over: then whoever uploads
    from it removes it. Raises ActionError.
    """
    relay = Relay(_new_folder(), [])
    try:
        for taken in held.checkpoints.values():
            path = _checkpoint(shell, held, taken, relay.folder, tell, cancel)
            relay.files.append(replace_path(taken, path))
        for taken in held.files.values():
            if taken.name in held.texts:
                relay.files.append(taken)
            else:
                relay.files.append(replace_path(taken, _small(held, taken, relay.folder)))
        yield relay
    finally:
        if not relay.handed_over:
            shutil.rmtree(relay.folder, ignore_errors=True)


def sweep(base: Path) -> None:
    """Remove directories whose uploader, or whose boxtop, is gone."""
    for folder in base.glob(f"{PREFIX}*"):
        if folder.is_dir() and not folder.is_symlink() and is_left(str(folder)):
            shutil.rmtree(folder, ignore_errors=True)


def _new_folder() -> Path:
    base = Path(FOLDER).expanduser()
    with kept(f"nothing can be relayed through {FOLDER}"):
        base.mkdir(parents=True, exist_ok=True, mode=0o700)
        sweep(base)
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=base))
        own(str(folder))
    return folder


def replace_path(taken: TakenFile, path: Path) -> TakenFile:
    """Return a file of a snapshot as it lies here."""
    return msgspec.structs.replace(taken, path=str(path), in_place=False)


def _checkpoint(
    shell: Shell,
    held: Snapshot,
    taken: TakenFile,
    folder: Path,
    tell: Callable[[Progress], None],
    cancel: Cancel,
) -> Path:
    rate, name = Rate(), one_line(taken.name)

    def told(stage: str) -> Callable[[int], None]:
        def moment(done: int) -> None:
            cancel.check()
            tell(measured(rate, stage, name, done, taken.size))

        return moment

    with Part(folder, taken.name, taken.size, taken.sha256) as part:
        part.need_room()
        Lanes(shell, held, taken, part, cancel, told("relaying")).run()
        if not held.confirm(taken):
            raise ActionError("changed", f"{name} changed while it was relayed")
        part.prove(told("checking"))
        return part.finish()


def _small(held: Snapshot, taken: TakenFile, folder: Path) -> Path:
    """Fetch one small file whole."""
    number = held.program.ask(held.read_request(taken, 0, taken.size))
    content = bytearray()
    for reply in held.program.replies(number, READ_IDLE_SECONDS, idle=True):
        if isinstance(reply, Data):
            content += reply.payload
            if len(content) > taken.size:
                break
    if len(content) != taken.size or hashlib.sha256(content).hexdigest() != taken.sha256:
        raise ActionError("damaged", f"{one_line(taken.name)} arrived damaged")
    path = folder / f"small-{len(list(folder.iterdir()))}"
    with kept(f"{one_line(taken.name)} cannot be relayed through {FOLDER}"):
        path.write_bytes(content)
    return path
