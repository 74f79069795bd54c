"""What a box costs: its provider's last word, and before any the person's own price."""

from __future__ import annotations

from dataclasses import replace

from tui.money import Rate
from tui.rent import RentView
from tui.watch.judgements import Prices


class Bill:
    """The money side of one box; ``own`` is the price in boxtop.toml, US dollars an hour."""

    def __init__(self, own: float | None) -> None:
        self.own = own
        self.rent: RentView | None = None
        self.remembered: RentView | None = None
        """What was told in an earlier session: shown, but no price of this moment."""

    @property
    def prices(self) -> Prices:
        """What the box costs running and now: the bill's word comes before a person's own.

        What an earlier session was told is no price of this moment: then it bills as if it ran.
        """
        rent = self.rent
        if rent is None:
            return self.own, None, "user"
        running = rent.rate_running
        if running.usd_per_hour is None:
            running = Rate(self.own, "user")
        now = rent.rate_now.usd_per_hour if rent.is_listed else None
        return running.usd_per_hour, now, running.source

    @property
    def last(self) -> RentView | None:
        """The newest that is known, maybe of an earlier session."""
        return self.rent or self.remembered

    @property
    def kept(self) -> RentView | None:
        """What is worth keeping: a list that cannot be read takes no earlier word away."""
        if self.rent is not None and self.rent.is_listed:
            return self.rent
        return self.remembered or self.rent

    def seen_at(self, steady: float) -> RentView | None:
        """Return what the provider told, with its age at a steady time."""
        rent = self.last
        if rent is None or rent.listed_at is None:
            return rent
        return replace(rent, age_s=max(0.0, steady - rent.listed_at))
