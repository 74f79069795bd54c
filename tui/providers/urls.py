"""Where a vendor's API is: https anywhere, plain http to this machine alone."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from tui.providers.errors import ProviderError
from tui.text import said

DEFAULTS = {
    "vast": "https://console.vast.ai",
    "runpod": "https://api.runpod.io",
    "lambda": "https://cloud.lambda.ai",
}
VARIABLES = {
    "vast": ("BOXTOP_VAST_URL", "VAST_URL"),
    "runpod": ("BOXTOP_RUNPOD_URL", "RUNPOD_API_BASE_URL"),
    "lambda": ("BOXTOP_LAMBDA_URL",),
}
"""Ours, then the vendor's own (vastai ``api/client.py``, runpod ``api/graphql.py``)."""


def base_url(vendor: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the root of a vendor's API without a slash at its end.

    Raises ProviderError ``usage`` for an address that a key must not be sent to.
    """
    for name in VARIABLES[vendor]:
        value = environment.get(name, "").strip()
        if value:
            if "?" in value or "#" in value:
                raise ProviderError("usage", f"{name} is no root of an API: leave out ? and #")
            return checked_url(value, name).rstrip("/")
    return DEFAULTS[vendor]


def checked_url(url: str, source: str) -> str:
    """Return a URL that may be asked. Raises ProviderError ``usage``; ``source`` names it."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise ProviderError("usage", f"{source} is no address: {said(url, 80)}") from None
    if parts.username or parts.password or not host or parts.scheme not in ("http", "https"):
        raise ProviderError("usage", f"{source} is no address of an API: {said(url, 80)}")
    if parts.scheme == "http" and not is_loopback(host):
        raise ProviderError(
            "usage",
            f"{source} is plain http to {said(host, 80)}: a key is not sent in the clear",
            "use https; plain http is for this machine alone",
        )
    return url


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, whatever a name server says."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
