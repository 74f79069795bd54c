"""What there is to say of the addresses in boxtop.toml; light, for every verb reads that file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec

from tui.alerts.urls import Address, AddressError, address_of

MISSING = "needs apprise: pip install 'boxtop[notify]'"


def has_apprise() -> bool:
    """Whether apprise is installed; it is not imported."""
    return find_spec("apprise") is not None


def url_problem(text: str) -> str | None:
    """Return why an address cannot be used, without a word of it; None when it can."""
    try:
        address_of(text)
    except AddressError as error:
        return str(error)
    return None


def url_warnings(urls: Sequence[str]) -> Iterator[str]:
    """Yield what a person should know of addresses that can be read."""
    for text in dict.fromkeys(urls):
        try:
            warning = _warning(address_of(text))
        except AddressError:
            continue
        if warning is not None:
            yield f"alerts.urls: {warning}"


def _warning(address: Address) -> str | None:
    if address.kind == "apprise" and not has_apprise():
        return f"{address.name.removesuffix(' (apprise)')}:// {MISSING}"
    return address.warning
