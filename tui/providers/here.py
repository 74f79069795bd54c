"""Whether this machine is itself a rented box: then a stop ends boxtop, and keys lie with a host.

Vast sets CONTAINER_ID and VAST_CONTAINERLABEL (``C.700001``) in its containers, RunPod
RUNPOD_POD_ID.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from tui.providers import fields


def own_instance(environment: Mapping[str, str] = os.environ) -> tuple[str, str] | None:
    """Return the provider and id of the box that boxtop itself runs on, None for no rented one."""
    pod = fields.ident(environment.get("RUNPOD_POD_ID"))
    if pod is not None:
        return "runpod", pod
    label = environment.get("VAST_CONTAINERLABEL", "")
    if not label and "CONTAINER_API_KEY" not in environment:
        return None
    id = fields.ident(environment.get("CONTAINER_ID") or label.removeprefix("C."))
    return None if id is None else ("vast", id)
