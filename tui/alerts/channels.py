"""The channels of the configuration."""

from __future__ import annotations

from collections.abc import Sequence

from tui.alerts.apprise_channel import AppriseChannel
from tui.alerts.channel import Channel
from tui.alerts.ntfy import Ntfy
from tui.alerts.urls import AddressError, address_of
from tui.alerts.webhook import Webhook

_KINDS: dict[str, type[Webhook] | type[Ntfy] | type[AppriseChannel]] = {
    "webhook": Webhook,
    "ntfy": Ntfy,
    "apprise": AppriseChannel,
}


def channels_of(urls: Sequence[str]) -> list[Channel]:
    """Return a channel for each address, once; one that cannot be used is left out."""
    found: list[Channel] = []
    for text in dict.fromkeys(urls):
        try:
            address = address_of(text)
        except AddressError:
            continue  # boxtop.toml is refused with it, so nobody comes here
        found.append(_KINDS[address.kind](address))
    return found
