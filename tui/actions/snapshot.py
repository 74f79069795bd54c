"""The weights of a run on its box: listed, snapshot, read, and let go again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, TypeVar

import msgspec

from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.program import Program, told_error
from tui.actions.replies import Data, Message, Reply
from tui.actions.shell import Shell
from tui.onbox.versions import PACKAGES
from tui.text import one_line, said

T = TypeVar("T")

MODULE = "weights"
LIST_SECONDS = 60.0
READ_IDLE_SECONDS = 60.0
MAX_TEXT = 4 << 20
SMALL_FILES = (
    *("status.json", "metrics.jsonl", "results.csv", "summary.json", "train_config.yaml"),
    "train.log",
)


Bytes = Annotated[int, msgspec.Meta(ge=0, lt=1 << 60)]
Epoch = Annotated[int, msgspec.Meta(ge=0, lt=1 << 40)]
Nanoseconds = Annotated[int, msgspec.Meta(gt=-(1 << 62), lt=1 << 62)]
Sha256 = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
"""What a box may tell: a number without limits breaks whoever counts with it."""


class Identity(msgspec.Struct, frozen=True):
    """What changes whenever a file on the box is written to or replaced."""

    device: int
    inode: int
    size: Bytes
    mtime_ns: Nanoseconds

    def __post_init__(self) -> None:
        """Raise ValueError for numbers that no disk has."""
        if not (0 <= self.device < 1 << 64 and 0 <= self.inode < 1 << 64):
            raise ValueError("the numbers of a file have 64 bits")


class Weight(msgspec.Struct, frozen=True):
    """A checkpoint as it lies on the box; ``complete`` is None where nobody can tell now.

    ``sha256`` is known after a full look alone.
    """

    name: str
    complete: bool | None
    reason: str | None = None
    identity: Identity | None = None
    epoch: Epoch | None = None
    sha256: Sha256 | None = None


class TakenFile(msgspec.Struct, frozen=True):
    """A file of a snapshot, proven whole: ``identity`` is its source's at that time.

    ``in_place`` says that there was no room for a copy: the source itself is used, and has to be
    confirmed when it was used. ``path`` is where the bytes lie on the box.
    """

    name: str
    size: Bytes
    sha256: Sha256
    identity: Identity
    path: str
    epoch: Epoch | None = None
    in_place: bool = False


@dataclass(frozen=True, slots=True)
class Rules:
    """How snapshots are taken; seconds, see ``tui.onbox.snapshot.Rules``."""

    settle: float = 2.0
    patience: float = 120.0
    tries: int = 3
    spare: int | None = None

    def values(self) -> dict[str, Any]:
        """What a request says of it."""
        given = {"settle": self.settle, "patience": self.patience, "tries": self.tries}
        return given if self.spare is None else {**given, "spare": self.spare}

    @property
    def longest(self) -> float:
        """Seconds that one checkpoint may wait, all tries together."""
        return self.tries * (2 * self.patience + self.settle)


@dataclass(frozen=True, slots=True)
class Stage:
    """What the box is doing: ``stage`` is wait, copy or check; bytes."""

    name: str
    stage: str
    done: Bytes
    total: Bytes


@dataclass(slots=True)
class Snapshot:
    """What was taken of a run, by the program that holds it; ``refused`` by the files' names.

    ``texts`` holds the small files that could not be copied beside the weights, ``versions`` what
    the box tells of the packages that train.
    """

    run: str
    program: Program
    number: str | None = None
    checkpoints: dict[str, TakenFile] = field(default_factory=dict)
    files: dict[str, TakenFile] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    refused: dict[str, ActionError] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    def read_request(self, taken: TakenFile, offset: int, length: int) -> dict[str, Any]:
        """Return the request that reads a part of a file, for this or another program."""
        where: dict[str, Any] = {"snapshot": self.number}
        if taken.in_place:
            where = {"snapshot": None, "identity": msgspec.to_builtins(taken.identity)}
        return {
            **{"op": "read", "run": self.run, "name": taken.name},
            **{"offset": offset, "length": length},
            **where,
        }

    def confirm(self, taken: TakenFile) -> bool:
        """Whether a file that is used in place still is what it was. Raises ActionError."""
        if not taken.in_place:
            return True
        identity = msgspec.to_builtins(taken.identity)
        request = {"op": "confirm", "run": self.run, "name": taken.name, "identity": identity}
        return self.program.result(self.program.ask(request), LIST_SECONDS).get("same") is True


def list_weights(
    shell: Shell,
    run: str,
    full: bool = False,
    seconds: float = 0,
    names: Sequence[str] | None = None,
) -> list[Weight]:
    """Look at the checkpoints of a run directory, the newest first; ``full`` reads them all.

    ``names`` asks for those alone, however many others there are; what of them is not there is
    told as not complete.
    Raises ActionError: no_python, missing, denied, lost, timeout, ….
    """
    request: dict[str, Any] = {"op": "list", "run": run, "full": full}
    if names is not None:
        request["names"] = list(names)
    found = []
    with Program(shell, MODULE, request) as program:
        patience = seconds or LIST_SECONDS
        for reply in program.replies(program.first, patience, idle=full):
            if isinstance(reply, Message) and "checkpoint" in reply.values:
                found.append(_weight(reply.values["checkpoint"]))
    return found


@contextmanager
def snapshot(
    shell: Shell,
    run: str,
    names: Sequence[str],
    *,
    files: Sequence[str] = (),
    console: str | None = None,
    rules: Rules | None = None,
    tell: Callable[[Stage], None] | None = None,
    bulk: bool = False,
    cancel: Cancel | None = None,
) -> Iterator[Snapshot]:
    """Take files of a run directory, and let them go at the end of the block.

    It stays when another process of the box has made itself the owner meanwhile; what nobody owns
    goes at the run's next snapshot.
    A checkpoint or file that cannot be taken is in ``refused``; nothing of it is raised.
    Raises ActionError when the box cannot be asked. ``tell`` may raise to stop.
    """
    rules = rules or Rules()
    wanted = {"names": list(names), "files": list(files), "console": console}
    request = {"op": "snapshot", "run": run, **wanted, **rules.values()}
    with Program(shell, MODULE, request, bulk) as program:
        if cancel is not None:
            cancel.ends(program.close)
        taken = Snapshot(run, program)
        patience = rules.longest + LIST_SECONDS
        for reply in program.replies(program.first, patience, idle=True):
            _take(taken, reply, tell)
        _check_names(taken, {*names, *files, *(["console.log"] if console else [])})
        yield taken  # after an error it goes with the program, whatever that still sends
        _let_go(taken)


def _take(taken: Snapshot, reply: Reply, tell: Callable[[Stage], None] | None) -> None:
    if isinstance(reply, Data):
        raise ActionError("protocol", "the box sent data that nobody asked for")
    values = reply.values
    if "checkpoint" in values:
        one = converted(values["checkpoint"], TakenFile)
        taken.checkpoints[one.name] = one
    elif "file" in values:
        one = converted(values["file"], TakenFile)
        taken.files[one.name] = one
    elif isinstance(values.get("text"), dict):
        _add_text(taken, values["text"])
    elif "refused" in values and isinstance(values["refused"], dict):
        taken.refused[str(values["refused"].get("name"))] = told_error(values["refused"])
    elif "progress" in values and tell is not None:
        tell(_stage(values["progress"]))
    elif "done" in values and isinstance(values["done"], dict):
        number = values["done"].get("snapshot")
        taken.number = number if isinstance(number, str) else None
        taken.versions = _versions(values["done"].get("versions"))


def _versions(values: object) -> dict[str, str]:
    known = values if isinstance(values, dict) else {}
    told = {name: known.get(name) for name in PACKAGES}
    return {name: said(text, 40) for name, text in told.items() if isinstance(text, str)}


def _add_text(taken: Snapshot, values: dict[str, Any]) -> None:
    """Take a further piece of a small file that comes over the link."""
    name = str(values.get("name"))
    taken.texts[name] = taken.texts.get(name, "") + str(values.get("piece"))
    if len(taken.texts[name]) > MAX_TEXT:
        raise ActionError("protocol", "the box sends more of a small file than it may")


def _check_names(taken: Snapshot, wanted: set[str]) -> None:
    answered = {*taken.checkpoints, *taken.files, *taken.refused}
    if answered != wanted:
        raise ActionError("protocol", "the box answered for other files than it was asked for")
    if taken.number is None and any(not one.in_place for one in taken.checkpoints.values()):
        raise ActionError("protocol", "the box does not say where the snapshot lies")


def _let_go(taken: Snapshot) -> None:
    if taken.number is None:
        return
    request = {"op": "remove", "run": taken.run, "snapshot": taken.number}
    try:
        taken.program.result(taken.program.ask(request), LIST_SECONDS)
    except ActionError:
        return  # the program removes it itself when it notices that we are gone


def _stage(values: object) -> Stage:
    told = converted(values, Stage)
    return replace(told, stage=said(told.stage, 20), name=one_line(told.name))


def _weight(values: object) -> Weight:
    found = converted(values, Weight)
    reason = None if found.reason is None else said(found.reason)
    return msgspec.structs.replace(found, reason=reason)


def converted(values: object, kind: type[T]) -> T:
    """Return what a box told as a type of ours. Raises ActionError("protocol")."""
    try:
        return msgspec.convert(values, kind)
    except (msgspec.ValidationError, RecursionError, OverflowError) as error:
        message = f"a reply of the box makes no sense: {said(str(error), 200)}"
        raise ActionError("protocol", message) from error
