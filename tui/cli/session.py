"""What every verb needs: the options given anywhere, the configuration, and where to write."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tui.boxes import Box, SshTarget
from tui.cli.console import Console

if TYPE_CHECKING:
    from tui.cli.asker import ConsoleAsker
    from tui.config.load import Configuration
    from tui.config.settings import HubSettings
    from tui.rented.asking import Asking
    from tui.targets import Names


class Session:
    """The global options of one call, and what follows from them, made when first needed.

    The attributes are the options' names; ``options`` sets those that were given. ``speed`` is
    that of recordings.
    """

    def __init__(self) -> None:
        self.config: str | None = None
        self.data_dir: str | None = None
        self.accept_new_host_key = False
        self.read_only = False
        self.auto_push = False
        self.ascii = False
        self.no_color = False
        self.no_mouse = False
        self.speed: float | None = None
        self.patience = float("inf")
        """How many seconds a person waits for accounts, at most."""
        self.asking: Asking | None = None
        """All accounts, once they were asked to find out what a word names."""

    @cached_property
    def console(self) -> Console:
        """Where results and messages go."""
        return Console(ascii_only=self.ascii, no_color=self.no_color)

    @cached_property
    def configuration(self) -> Configuration:
        """boxtop.toml, read once; its warnings go to stderr."""
        from tui.config.load import load_configuration
        from tui.config.paths import config_path

        path, named = config_path(self.config)
        configuration = load_configuration(path, must_exist=named)
        for warning in configuration.warnings:
            self.console.tell(warning)
        return configuration

    @property
    def hub(self) -> HubSettings:
        """Where weights go, and when by themselves. Raises UserError where that cannot be."""
        hub = self.configuration.settings.hub
        if not self.auto_push:
            return hub
        import msgspec

        from tui.errors import UserError

        if self.read_only:
            raise UserError("--read-only forbids --auto-push")
        if hub.to is None:
            raise UserError(
                "--auto-push needs to know where to", 'add [hub] to = "ORG/{run}" to boxtop.toml'
            )
        from tui.config.settings import USUAL_AUTO_PUSH, AutoPush

        return hub if hub.auto != AutoPush() else msgspec.structs.replace(hub, auto=USUAL_AUTO_PUSH)

    @cached_property
    def names(self) -> Names:
        """What targets may refer to."""
        from tui.targets import Names

        configuration = self.configuration
        return Names(configuration.settings, places=configuration.box_places)

    @property
    def data(self) -> Path:
        """The directory that holds the mirrors."""
        from tui.config.paths import data_directory

        return data_directory(self.data_dir)

    def keeping(self, boxes: Sequence[Box]) -> Path | None:
        """Return the directory of the mirrors; None, and a word of it, where nothing can be kept.

        Nobody is told who looks at this machine alone and named no directory.
        """
        from tui.config.paths import data_is_named, keeping_problem

        problem = keeping_problem(self.data)
        remote = any(isinstance(box.target, SshTarget) for box in boxes)
        if problem is not None and (remote or data_is_named(self.data_dir)):
            self.console.tell(f"nothing is kept of these boxes: {problem}")
        return self.data if problem is None else None

    @cached_property
    def asker(self) -> ConsoleAsker:
        """Whom links ask."""
        from tui.cli.asker import ConsoleAsker

        return ConsoleAsker(accept_new_host_key=self.accept_new_host_key)

    @cached_property
    def names_and_lists(self) -> Names:
        """As ``names``, with the instances that are listed; accounts are asked where need be."""
        import msgspec

        from tui.cli.listed_names import kept_box, listed_box

        return msgspec.structs.replace(
            self.names,
            kept=lambda text: kept_box(self, text),
            listed=lambda text: listed_box(self, text),
        )

    @cached_property
    def names_and_lists_of_now(self) -> Names:
        """As ``names_and_lists``; what a kept list names is looked up in a list of now."""
        import msgspec

        known = self.names_and_lists

        def kept(text: str) -> Box | None:
            return None if known.kept(text) is None else known.listed(text)

        return msgspec.structs.replace(known, kept=kept)

    def boxes(
        self, targets: Sequence[str], *, may_be_none: bool = False, now: bool = False
    ) -> tuple[Box, ...]:
        """Return the boxes that are meant; what an ssh line had too much is told.

        ``now``: what an instance is called is asked, wherever that can be. Raises UserError for a
        target that names no box, and when there is no box at all unless there ``may_be_none``, and
        ProviderError where only a list that cannot be read may have it.
        """
        from tui.fleet import at_speed, join_boxes, no_boxes

        boxes = join_boxes(targets, self.names_and_lists_of_now if now else self.names_and_lists)
        if not boxes and not may_be_none:
            raise no_boxes()
        if self.speed is not None:
            boxes = at_speed(boxes, self.speed)
        for box in boxes:
            if isinstance(box.target, SshTarget) and box.target.ignored:
                self.console.tell(f"{box.name}: not used: {', '.join(box.target.ignored)}")
        return boxes
