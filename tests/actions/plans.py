"""A plan of a made-up instance, for what needs no provider."""

from __future__ import annotations

from typing import Any

from tui.actions.gate import Judgement
from tui.actions.instance_plan import Bound, Plan
from tui.money import Rate, Terms
from tui.providers.base import Action, Address, Capabilities, Instance, State

INSTANCE = Instance(
    provider="vast",
    id="700001",
    name="yolo9s",
    state=State.RUNNING,
    raw_state="running",
    gpu_name="RTX 4090",
    gpu_count=8,
    addresses=(Address("198.51.100.7", 41022),),
    rate_running=Rate(3.4828, "reported"),
    rate_stopped=Rate(0.0694444, "reported"),
    rate_now=Rate(3.4828, "reported"),
    created_at=1796000000.0,
    keeps=Terms(True, ("/",)),
)


def a_plan(
    action: Action,
    judgement: Judgement | None = None,
    instance: Instance = INSTANCE,
    **more: Any,  # noqa: ANN401
) -> Plan:
    names = (instance.name, instance.id)
    return Plan(
        action,
        Bound.of(instance),
        instance,
        Capabilities(),
        1796004000.0,
        names,
        judgement,
        **more,
    )
