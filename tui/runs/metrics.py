"""The metrics of a run by epoch, fed with bytes as they arrive."""

from __future__ import annotations


class Metrics:
    """Columns of metrics.jsonl (or results.csv); the last row of an epoch wins.

    ``epochs`` is strictly increasing; every series is aligned with it and holds ``None`` where the
    file has no finite value. ``revision`` changes with every change of content.
    """

    def __init__(self, *, csv: bool = False) -> None:
        self.csv = csv
        self.revision = 0
        self.bad_lines = 0
        self.epochs: list[int] = []

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the file; a torn last line waits for its end."""
        raise NotImplementedError

    def reset(self) -> None:
        """Forget everything: the file began anew."""
        raise NotImplementedError

    def names(self) -> list[str]:
        """All numeric columns in order of appearance (``train/loss``, ``metrics/mAP50``, …)."""
        raise NotImplementedError

    def series(self, name: str) -> list[float | None]:
        """The values of a column, one for each of ``epochs``."""
        raise NotImplementedError
