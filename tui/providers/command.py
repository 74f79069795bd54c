"""Boxes of boxtop.toml that bring their own commands: any provider, or a machine under the desk.

A command runs by ``/bin/sh -c`` exactly as it is written: no name, id or path is put into it. It
gets no input and no terminal, and it has a limited time. ``BOXTOP_BOX`` in its environment is the
name of the box.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from types import MappingProxyType
from typing import get_args

from tui.config.settings import BoxSettings
from tui.money import Bills, Rate, Terms, amount, rate_now, stopped_rate
from tui.providers import fields
from tui.providers.base import NO_RATE, Action, Capabilities, Instance, Listing, Reply, State
from tui.providers.errors import ProviderError
from tui.providers.programs import Ran, run_shell

STATE_SECONDS = 15.0
"""Less than whoever looks once waits for all providers: the other boxes are told by then."""

ACTION_SECONDS = 120.0
NOTE = "stop, start and destroy are what the commands of its section in boxtop.toml do"

STATES: Mapping[str, tuple[State, Bills]] = MappingProxyType(
    {
        **dict.fromkeys(
            ("running", "run", "up", "on", "active", "started", "ready", "online"),
            (State.RUNNING, "running"),
        ),
        **dict.fromkeys(
            ("stopped", "off", "down", "exited", "halted", "shutoff", "deallocated", "suspended"),
            (State.STOPPED, "stopped"),
        ),
        **dict.fromkeys(
            ("starting", "booting", "pending", "provisioning", "creating", "resuming", "init"),
            (State.STARTING, "unknown"),
        ),
        "queued": (State.QUEUED, "stopped"),
        **dict.fromkeys(("stopping", "suspending", "pausing"), (State.STOPPING, "running")),
        **dict.fromkeys(("terminating", "deleting", "destroying"), (State.TERMINATING, "running")),
        **dict.fromkeys(
            ("gone", "terminated", "deleted", "destroyed", "none", "missing"),
            (State.GONE, "nothing"),
        ),
        **dict.fromkeys(("failed", "error"), (State.FAILED, "unknown")),
        **dict.fromkeys(("unreachable", "offline"), (State.UNREACHABLE, "unknown")),
    }
)
"""The first word that a state command prints."""


def has_provider(box: BoxSettings) -> bool:
    """Whether a box says anything that only a provider would: a command or a price."""
    commands = (box.stop, box.start, box.destroy, box.state)
    return any(commands) or box.price_per_hour is not None


class Commands:
    """All boxes of boxtop.toml with commands or prices; a box's id is its name."""

    name = "command"

    def __init__(self, boxes: Mapping[str, BoxSettings]) -> None:
        self._boxes = {name: box for name, box in boxes.items() if has_provider(box)}
        settings = self._boxes.values()
        self.capabilities = Capabilities(
            can_stop=any(box.stop for box in settings),
            can_start=any(box.start for box in settings),
            can_destroy=any(box.destroy for box in settings),
            stop_note=NOTE,
            destroy_note=NOTE,
            list_seconds=30.0,
        )

    def list(self) -> Listing:
        """Return every box; one whose state command fails is UNKNOWN and says why.

        All are asked at once: a command that hangs holds no other box up.
        """
        found: dict[str, Instance] = {}
        faults: list[Exception] = []

        def ask(name: str) -> None:
            try:
                found[name] = self._instance(name)
            except Exception as error:  # noqa: BLE001 - told to who asked, not to this thread
                faults.append(error)

        threads = [threading.Thread(target=ask, args=(name,), daemon=True) for name in self._boxes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if faults:
            raise faults[0]
        return Listing(tuple(found[name] for name in self._boxes))

    def get(self, id: str) -> Instance | None:
        """Return one box, None for a name that is none of them."""
        return self._instance(id) if id in self._boxes else None

    def account(self) -> None:
        """Return nothing: no command tells a credit."""
        return

    def stop(self, id: str) -> Reply:
        """Run the box's stop command. Raises ProviderError ``unsupported`` when it has none."""
        return self._act(id, "stop")

    def start(self, id: str) -> Reply:
        """Run its start command."""
        return self._act(id, "start")

    def destroy(self, id: str) -> Reply:
        """Run its destroy command."""
        return self._act(id, "destroy")

    def logs(self, id: str, lines: int = 200) -> tuple[str, ...]:
        """Raise ProviderError ``unsupported``."""
        raise ProviderError("unsupported", "a box with commands of its own has no provider's log")

    def close(self) -> None:
        """Do nothing: commands end by their time limit."""

    def _instance(self, name: str) -> Instance:
        box = self._boxes[name]
        state, bills, raw, warnings = self._state(name, box)
        price = amount(box.price_per_hour)
        running = NO_RATE if price is None else Rate(price, "user")
        stopped = stopped_rate(None, box.disk_gb, box.storage_gb_month)
        return Instance(
            provider="command",
            id=name,
            name=name,
            state=state,
            raw_state=raw,
            rate_running=running,
            rate_stopped=stopped,
            rate_now=rate_now(bills, running, stopped),
            rate_assumed=bills == "unknown",
            disk_gb=box.disk_gb,
            keeps=Terms(can_stop=True if box.stop else None, kept=box.stop_keeps),
            allowed=_allowed(box),
            warnings=warnings,
        )

    def _state(self, name: str, box: BoxSettings) -> tuple[State, Bills, str, tuple[str, ...]]:
        if box.state is None:
            return State.UNKNOWN, "unknown", "", ()
        try:
            ran = run_shell(box.state, STATE_SECONDS, {"BOXTOP_BOX": name})
        except ProviderError as error:
            return State.UNKNOWN, "unknown", "", (f"its state command: {error}",)
        if ran.status != 0:
            return State.UNKNOWN, "unknown", "", (f"its state command {_failed(ran)}",)
        words = ran.output.split()
        raw = fields.raw_word(words[0]) if words else ""
        known = STATES.get(raw.lower().strip(".:,;\"'"))
        if known is None:
            told = f'its state command says "{raw}", which boxtop does not know: assumed to bill'
            return State.UNKNOWN, "unknown", raw, (told,)
        return known[0], known[1], raw, ()

    def _act(self, id: str, action: Action) -> Reply:
        box = self._boxes.get(id)
        if box is None:
            raise ProviderError("usage", f"{fields.raw_word(id)} is no box with commands")
        command = {"stop": box.stop, "start": box.start, "destroy": box.destroy}[action]
        if command is None:
            hint = f"give [box.{fields.raw_word(id)}] of boxtop.toml a {action} command"
            raise ProviderError("unsupported", f"{fields.raw_word(id)} has no command for it", hint)
        return reply_of(run_shell(command, ACTION_SECONDS, {"BOXTOP_BOX": id}), f"its {action}")


def reply_of(ran: Ran, what: str) -> Reply:
    """Return what a program's end means: 0 is accepted, another status a refusal.

    One that was ended in the middle may have done it or not.
    """
    if ran.status == 0:
        return Reply("accepted", ran.said)
    if ran.status is None:
        return Reply(
            "unconfirmed",
            f"{what} command {_failed(ran)}",
            "look at the list before asking again",
        )
    return Reply("refused", f"{what} command {_failed(ran)}", None, "other")


def _failed(ran: Ran) -> str:
    ended = "was ended before it was done" if ran.status is None else f"failed ({ran.status})"
    return f"{ended}: {ran.said}" if ran.said else ended


def _allowed(box: BoxSettings) -> frozenset[Action]:
    commands: dict[Action, str | None] = {
        "stop": box.stop,
        "start": box.start,
        "destroy": box.destroy,
    }
    return frozenset(action for action in get_args(Action) if commands[action] is not None)
