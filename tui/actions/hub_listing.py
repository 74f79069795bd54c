"""How the gate asks the Hub, with the token of this machine."""

from __future__ import annotations

from tui.actions.gate_eyes import Listing
from tui.actions.hub_problem import HubError
from tui.actions.hub_remote import RemoteHub
from tui.actions.hub_token import find_token


def hub_listing() -> Listing | None:
    """Return how the Hub is asked for what a commit lists, None without a token."""
    try:
        return RemoteHub(find_token()).listing
    except HubError:
        return None
