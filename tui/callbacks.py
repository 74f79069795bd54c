"""For people who script their training: checkpoints to the Hub while it runs.

    from tui.callbacks import PushToHub
    model.train(data="data.yaml", callbacks=[PushToHub("my-org/run1", every_epochs=10)])

The token is found where ``huggingface_hub`` finds it, when it is needed: it is in no attribute, so
a callback that is pickled for several GPUs carries none.
"""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path
from typing import Any, Protocol

from tui.actions.callback_push import Upload

logger = logging.getLogger("boxtop")

BEST_SECONDS = 1200.0
"""A new best is pushed at most this often, unless something else is said."""
END_SECONDS = 120.0
"""How long the end of a training waits until the last upload can do without it."""


class EpochEvent(Protocol):
    """What LibreYOLO says at the end of an epoch, as far as it is needed (``epoch`` from 1)."""

    @property
    def epoch(self) -> int:
        """The epoch that has just ended."""
        ...

    @property
    def is_best(self) -> bool:
        """Whether it is the best so far."""
        ...

    @property
    def save_dir(self) -> str:
        """The run's directory."""
        ...


class RunEvent(Protocol):
    """What LibreYOLO says at the end of a training."""

    @property
    def save_dir(self) -> str:
        """The run's directory."""
        ...


class PushToHub:
    """Pushes best.pt and last.pt of a run to ``ORG/REPO[/PREFIX]``: a LibreYOLO training callback.

    Every ``every_epochs`` epochs, at each new best at most every ``best_seconds``, and when the
    training ends well or badly (``on_end``). A snapshot is taken at once, while nothing is being
    written; the upload goes on in a process of its own, which outlives the training. One upload at
    a time: what comes meanwhile is left to the next. New repositories are private, and a public
    one is refused unless ``private`` is False. Whatever fails is a warning of the logger
    ``boxtop`` and never ends a training; a checkpoint that is damaged keeps back no other. Where
    the disk has no room for a snapshot nothing is pushed until the training ends, whose checkpoints
    are then read where they lie.
    """

    def __init__(
        self,
        to: str,
        *,
        every_epochs: int | None = None,
        best_seconds: float | None = BEST_SECONDS,
        on_end: bool = True,
        private: bool = True,
    ) -> None:
        """Raises UserError for a destination that the Hub does not take."""
        from tui.actions.hub_names import destination

        destination(to)
        self.to = to
        self.every_epochs = every_epochs
        self.best_seconds = best_seconds
        self.on_end = on_end
        self.private = private
        self._best_at: float | None = None
        self._best_waits = False
        self._upload: Upload | None = None
        self._thread: threading.Thread | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what belongs to this process alone."""
        return {**self.__dict__, "_upload": None, "_thread": None, "_best_at": None}

    def on_train_epoch_end(self, event: EpochEvent) -> None:
        """Push when a milestone or a new best is due."""
        try:
            self._best_waits = self._best_waits or bool(event.is_best)
            milestone = bool(self.every_epochs) and event.epoch % (self.every_epochs or 1) == 0
            if milestone or self._best_is_due():
                names = ("best.pt", "last.pt") if milestone else ("best.pt",)
                self._push(Path(event.save_dir), names, f"epoch {event.epoch}")
        except Exception as error:  # noqa: BLE001 - saving must never end a training
            logger.warning("boxtop could not push: %s", error)

    def on_train_end(self, event: RunEvent) -> None:
        """Push what the training leaves."""
        self._end(event, "the run completed")

    def on_train_exception(self, event: RunEvent) -> None:
        """Push what a failed training leaves."""
        self._end(event, "the run failed")

    def _best_is_due(self) -> bool:
        if not self._best_waits or self.best_seconds is None:
            return False
        return self._best_at is None or time.monotonic() - self._best_at >= self.best_seconds

    def _end(self, event: RunEvent, reason: str) -> None:
        if not self.on_end:
            return
        try:
            if self._thread is not None:
                self._thread.join(END_SECONDS)
                self._thread = None
            self._push(Path(event.save_dir), ("best.pt", "last.pt"), reason, over=True)
            self._hand_over()
        except Exception as error:  # noqa: BLE001 - as above
            logger.warning("boxtop could not push: %s", error)

    def _push(self, run: Path, names: tuple[str, ...], reason: str, *, over: bool = False) -> None:
        if self._thread is not None and self._thread.is_alive():
            logger.info("boxtop still uploads: this push is left to the next")
            return
        if "best.pt" in names:
            self._best_at = time.monotonic()
        upload = Upload(run, self.to, names, reason, private=self.private, over=over)
        upload.snapshot()
        self._best_waits = self._best_waits and "best.pt" not in names
        self._upload = upload
        self._thread = threading.Thread(target=upload.run, name="push to the Hub", daemon=True)
        self._thread.start()

    def _hand_over(self) -> None:
        """Wait until the last upload is over, or goes on without this process."""
        deadline = time.monotonic() + END_SECONDS
        while self._thread is not None and self._thread.is_alive() and self._upload is not None:
            if self._upload.begun.wait(0.1) or time.monotonic() > deadline:
                return
