"""Weights that pass through this machine on their way to the Hub: no token leaves it."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.progress import Progress, Rate, measured
from tui.actions.pull_lanes import Lanes
from tui.actions.pull_part import Part
from tui.actions.replies import Data
from tui.actions.shell import Shell
from tui.actions.snapshot import READ_IDLE_SECONDS, Snapshot, TakenFile
from tui.text import one_line

FOLDER = "~/.cache/boxtop/relay"
PREFIX = ".boxtop-"


@contextmanager
def relayed(
    shell: Shell, held: Snapshot, tell: Callable[[Progress], None], cancel: Cancel
) -> Iterator[tuple[Path, list[TakenFile]]]:
    """Fetch everything of a snapshot into a directory of this machine, each byte proven.

    Yields the directory and the files as they lie there. The directory goes when the block ends
    with an error; whoever uploads from it removes it otherwise. Raises ActionError.
    """
    base = Path(FOLDER).expanduser()
    base.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=base))
    try:
        fetched = [
            replace_path(taken, _checkpoint(shell, held, taken, folder, tell, cancel))
            for taken in held.checkpoints.values()
        ]
        fetched += [
            replace_path(taken, _small(held, taken, folder)) for taken in held.files.values()
        ]
        yield folder, fetched
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


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
    path.write_bytes(content)
    return path
