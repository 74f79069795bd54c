"""The recorded runs that the demo plays: real LibreYOLO 1.6.0 trainings on drawn images.

The format is that of ``timeline.jsonl`` (tui/links/recording.py describes it).
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files as package_files
from typing import Literal

import msgspec

from tui.runs import files

_ORDER = {files.LOG: 1, files.CONSOLE: 2, files.METRICS: 3, files.STATUS: 4, "": 5}
"""Order of LibreYOLO's writes at an epoch's end; checkpoints come first of all."""


class Event(msgspec.Struct, frozen=True):
    """One change: ``t`` seconds after the recording began, the rest as the operation needs it."""

    t: float
    file: str
    op: Literal["replace", "append", "stat", "exit"]
    data: str = ""
    size: int = 0
    code: int = 0


class _Row(msgspec.Struct):
    epoch: int


class _Epoch(msgspec.Struct):
    current_epoch: int | None = None


@dataclass(frozen=True)
class Recording:
    """A recorded run; ``config`` is its train_config.yaml, ``events`` stand in order of writing."""

    name: str
    config: str
    events: tuple[Event, ...]

    @property
    def recorded_path(self) -> str:
        """The run directory's path when it was recorded, as logs and status name it."""
        return f"/root/runs/{self.name}"

    @property
    def arguments(self) -> tuple[str, ...]:
        """What ``libreyolo train`` was told, from the console log's first line."""
        # "… | Training LibreYOLO9t.pt on shapes/data.yaml for 100 epochs..."
        line = next(event.data for event in self.events if event.file == files.CONSOLE)
        model, _, data, _, epochs, *_ = line.partition(" Training ")[2].split()
        return f"data={data}", f"model={model}", "pretrained=false", f"epochs={epochs}"

    @cached_property
    def first_status(self) -> float:
        """When the first status.json was written: the training is set up."""
        return next(event.t for event in self.events if event.file == files.STATUS)

    def end_of_epoch(self, epoch: int) -> float:
        """When the status of an epoch was written, with all that belongs to the epoch."""
        for event in self.events:
            if event.file == files.STATUS and _epoch_of(event) == epoch:
                return event.t
        raise LookupError(f"{self.name} has no epoch {epoch}")

    def between(self, after: float, until: float) -> list[Event]:
        """The events later than ``after``, up to and with ``until``."""
        return [event for event in self.events if after < event.t <= until]

    def sizes(self) -> dict[str, int]:
        """The complete size of each checkpoint: the largest that was seen."""
        sizes: dict[str, int] = {}
        for event in self.events:
            if event.op == "stat":
                sizes[event.file] = max(event.size, sizes.get(event.file, 0))
        return sizes


def _epoch_of(event: Event) -> int | None:
    return msgspec.json.decode(event.data, type=_Epoch).current_epoch


def _in_order(events: Iterable[Event]) -> Iterator[Event]:
    """The events in the order in which LibreYOLO writes.

    The recorder looked at one file after the other: what it found at one moment is sorted, and a
    status that it saw just before the row it speaks of waits for that row.
    """
    epoch, held = 0, None
    for event in sorted(events, key=lambda each: (each.t, _ORDER.get(each.file, 0))):
        if event.file == files.STATUS and (_epoch_of(event) or 0) > epoch:
            held = event
            continue
        yield event
        if event.file == files.METRICS:
            epoch = msgspec.json.decode(event.data.splitlines()[-1], type=_Row).epoch
            if held is not None:
                yield msgspec.structs.replace(held, t=event.t)
                held = None


def load(name: str) -> Recording:
    """Read a recording that comes with the package."""
    data = package_files("tui.demo") / "data"
    lines = gzip.decompress((data / f"{name}.jsonl.gz").read_bytes()).splitlines()
    decoder = msgspec.json.Decoder(Event)
    events = _in_order(map(decoder.decode, lines))
    config = (data / f"{name}.train_config.yaml").read_text(encoding="utf-8")
    return Recording(name, config, tuple(events))
