"""What the command line decides of the screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

import msgspec

from tui.boxes import Box
from tui.theme import Colours

if TYPE_CHECKING:
    from tui.app import BoxtopApp
    from tui.screens.finish import Finishing
    from tui.screens.instances import InstanceDesk
    from tui.screens.past_page import Told
    from tui.screens.weights import WeightsDesk


class ScreenOptions(msgspec.Struct, frozen=True):
    """What the command line decides.

    ``theme`` is "dark" or "light", ``colours`` what the terminal shows; ``parse`` makes a box of a
    pasted line, without it none can be added; ``has_demo`` offers the demo at the first start;
    ``desk`` makes what moves weights; in a thread, ``rents`` what asks providers, and ``alarms``
    what watches for alerts; ``finish`` what ends boxes whose training is done, after the others.
    """

    ascii_only: bool = False
    theme: Literal["dark", "light"] = "dark"
    colours: Colours = "full"
    keys: Mapping[str, str] = {}
    parse: Callable[[str], Box] | None = None
    has_demo: bool = False
    desk: Callable[[], WeightsDesk] | None = None
    rents: Callable[[], InstanceDesk | None] | None = None
    alarms: Callable[[BoxtopApp], Told | None] | None = None
    finish: Callable[[BoxtopApp], Finishing | None] | None = None
