"""Whether an action is possible now: by the provider, by the instance's state, and by its word."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tui.actions.instance_plan import Bound, NothingToDo, NotPossible
from tui.money import hours_text
from tui.providers.base import Action, Capabilities, Instance, State

SAME_TIME_SECONDS = 60.0
"""A provider may round when an instance began."""

WANTED: Mapping[Action, State] = MappingProxyType(
    {"stop": State.STOPPED, "start": State.RUNNING, "destroy": State.GONE}
)
"""What each action is to lead to."""

_ON_THE_WAY: Mapping[Action, tuple[State, str]] = MappingProxyType(
    {
        "stop": (State.STOPPING, "is being stopped already"),
        "start": (State.STARTING, "is starting already"),
        "destroy": (State.TERMINATING, "is being destroyed already"),
    }
)


def check_possible(
    action: Action, bound: Bound, instance: Instance, capabilities: Capabilities
) -> None:
    """Raise NotPossible where an action cannot be asked for, NothingToDo where it need not be.

    What has no stop is never destroyed in its place. Where the vendor tells what is allowed, that
    counts; where it does not, its answer will.
    """
    if instance.state is WANTED[action]:
        raise NothingToDo(f"{bound} is {_PARTICIPLES[action]} already")
    if instance.state is State.TERMINATING and action != "destroy":
        raise NotPossible(f"{bound} is being destroyed", never=True)
    if instance.state is State.GONE:
        raise NotPossible(f"{bound} is not there any more", never=True)
    if not capabilities.can(action):
        note = capabilities.stop_note if action in ("stop", "start") else capabilities.destroy_note
        raise NotPossible(f"{bound} has no {action}", note, never=True)
    if instance.keeps.can_stop is False and action == "stop":
        note = instance.keeps.stop_note
        raise NotPossible(f"{bound} cannot be stopped", note or _NO_COMMAND, never=True)
    if instance.allowed is None or action in instance.allowed:
        return
    on_the_way, words = _ON_THE_WAY[action]
    if instance.state is on_the_way:
        raise NothingToDo(f"{bound} {words}")
    possible = ", ".join(sorted(instance.allowed)) or "nothing"
    state = instance.raw_state or str(instance.state)
    message = f"{bound}: {action} is not possible now ({instance.provider} says {state!r})"
    raise NotPossible(message, f"possible now: {possible}")


_PARTICIPLES: Mapping[Action, str] = MappingProxyType(
    {"stop": "stopped", "start": "running", "destroy": "gone"}
)
_NO_COMMAND = "give its section in boxtop.toml a stop command"


def same_instance(bound: Bound, instance: Instance) -> str | None:
    """Return what is another now than when a person asked, None when it is the one that was meant.

    An id names one instance for as long as it lives, but a vendor may hand one out again.
    """
    if (instance.provider, instance.id) != (bound.provider, bound.id):
        return f"the answer is about {instance.provider} {instance.id}"
    if bound.label is not None and instance.name != bound.label:
        return f"its name was {bound.label!r} and is {instance.name!r} now"
    known = bound.gpu_name is not None and instance.gpu_name is not None
    if known and instance.gpu_name != bound.gpu_name:
        return f"its GPU was {bound.gpu_name!r} and is {instance.gpu_name!r} now"
    if bound.created_at is not None and instance.created_at is not None:
        apart = abs(instance.created_at - bound.created_at)
        if apart > SAME_TIME_SECONDS:
            return f"it is another of that name: they began {hours_text(apart)} apart"
    return None
