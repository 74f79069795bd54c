"""What is to be pushed and where to; and ``boxtop.json``, which says so beside the weights."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from tui import __version__
from tui.actions.errors import ActionError
from tui.actions.hub_names import Destination, paths_in_repo
from tui.actions.snapshot import TakenFile
from tui.errors import UserError
from tui.onbox.versions import PACKAGES
from tui.runs.model import Run
from tui.text import one_line

MANIFEST = "boxtop.json"
_SCHEMA = 1

Via = Literal["box", "here"]
"""Who uploads: the box itself, which is given the token, or this machine, which relays."""


@dataclass(frozen=True, slots=True)
class PushPlan:
    """One commit with these checkpoints of a run, and the run's small files.

    ``public`` agrees to a repository that everybody can read; ``reason`` is why it is done, where
    nobody asked for it; ``client`` is the version of what uploads.
    """

    box: str
    run: Run
    names: tuple[str, ...]
    place: Destination
    via: Via = "box"
    private: bool = True
    public: bool = False
    console: str | None = None
    provider: str | None = None
    reason: str | None = None
    client: str | None = None

    @property
    def message(self) -> str:
        """The commit's first line."""
        epoch = f", epoch {self.run.epoch}" if self.run.epoch else ""
        why = f" ({self.reason})" if self.reason else ""
        return f"{', '.join(map(one_line, self.names))} of {one_line(self.run.id)}{epoch}{why}"

    def pushable(self) -> tuple[tuple[str, ...], dict[str, ActionError]]:
        """Return the names that can be paths of a repository, and why the others cannot."""
        names, refused = [], {}
        for name in self.names:
            try:
                paths_in_repo(self.place, [name])
            except UserError as error:
                refused[name] = ActionError("refused", str(error), "rename it on the box")
            else:
                names.append(name)
        return tuple(names), refused

    def paths(self, taken: Iterable[TakenFile]) -> dict[str, str]:
        """Return the path in the repository of each file taken, and of the manifest, by name.

        Checkpoints lie beside the small files: ``LibreYOLO("hf://ORG/REPO/best.pt")`` loads one.
        Raises UserError for a name that the Hub does not take.
        """
        return paths_in_repo(self.place, [*(file.name for file in taken), MANIFEST])


def is_checkpoint(name: str) -> bool:
    """Whether a file of a snapshot is a checkpoint, not one of the small files."""
    return name.endswith(".pt")


def manifest(
    plan: PushPlan, taken: Iterable[TakenFile], at: str, versions: Mapping[str, str]
) -> str:
    """Return what ``boxtop.json`` holds: where the weights come from and what they are worth.

    ``at`` is the moment in ISO 8601, ``versions`` those of the packages that train. Sizes are
    bytes; what is unknown is null.
    """
    run = plan.run
    document = {
        "schema_version": _SCHEMA,
        "pushed_at": at,
        "box": one_line(plan.box),
        "provider": plan.provider,
        "run": {
            "id": one_line(run.id),
            "path": one_line(run.path),
            "model": run.model,
            "task": run.task,
            "verdict": run.verdict,
            "epoch": run.epoch,
            "total_epochs": run.total_epochs,
            "train_loss": run.train_loss,
            "current": {"name": run.current.name, "value": run.current.value}
            if run.current
            else None,
            "best": {"name": run.best.name, "value": run.best.value, "epoch": run.best.epoch}
            if run.best
            else None,
        },
        "files": [
            {
                "path": file.name,
                "bytes": file.size,
                "sha256": file.sha256,
                "epoch": file.epoch,
            }
            for file in taken
        ],
        "versions": {
            "boxtop": __version__,
            "huggingface_hub": plan.client,
            **{package: versions.get(package) for package in PACKAGES},
        },
    }
    return json.dumps(document, indent=2) + "\n"
