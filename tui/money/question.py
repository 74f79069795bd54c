"""Stop against destroy for one box, rented or not yet: everything known, and what follows."""

from __future__ import annotations

from typing import Any

import msgspec

from tui.money.disk import disk_gb
from tui.money.figures import Figure, Rate, amount
from tui.money.pause import Comparison, break_even_h, compare, rebuild_cost
from tui.money.rates import hours_per_month, saved_share, stopped_rate
from tui.money.spent import cost_of
from tui.money.terms import Terms, survives_stop


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What is known; None is not known. Hours, GB, US dollars.

    ``price`` is per hour while running, ``stopped`` the provider's own figure per hour,
    ``storage`` per GB-month of the ``gb`` allocated. ``rebuild`` is what a new box costs until it
    trains, or follows from ``setup_hours``, ``gb_in`` and ``usd_per_gb_in``. ``paths`` are where
    runs lie, ``hours`` is how long the training takes.
    """

    box: str | None = None
    provider: str | None = None
    price: Rate = Rate()
    stopped: Rate = Rate()
    gb: float | None = None
    storage: float | None = None
    hours_per_month: float | None = None
    rebuild: float | None = None
    setup_hours: float | None = None
    gb_in: float | None = None
    usd_per_gb_in: float | None = None
    pause_h: float | None = None
    hours: float | None = None
    data_gb: float | None = None
    checkpoints_gb: float | None = None
    paths: tuple[str, ...] = ()
    terms: Terms = Terms()


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What follows; each figure with its source. ``survive`` tells each path's fate at a stop.

    ``comparison`` is None where no pause was named or there is no stop. ``training`` is compute
    alone, ``disk_gb`` what to rent.
    """

    question: Question
    month_hours: float
    stopped: Rate
    saved_share: float | None
    rebuild: Figure
    break_even_h: float | None
    comparison: Comparison | None
    survive: tuple[tuple[str, bool | None], ...]
    training: Figure
    disk_gb: int | None

    @property
    def lost(self) -> tuple[str, ...]:
        """Places that a stop deletes."""
        return tuple(path for path, survives in self.survive if survives is False)


def answer(asked: Question) -> Answer:
    """Work out everything that follows from what is known, and nothing from what is not."""
    month = amount(asked.hours_per_month) or hours_per_month(asked.provider)
    stopped = asked.stopped
    if stopped.usd_per_hour is None:
        stopped = stopped_rate(None, asked.gb, asked.storage, month)
    rebuild = _rebuild(asked)
    can_stop = asked.terms.can_stop is not False
    compared = None
    if asked.pause_h is not None and can_stop:
        compared = compare(rebuild.usd, stopped.usd_per_hour, asked.pause_h)
    running = asked.price.usd_per_hour
    training = cost_of(None if asked.hours is None else asked.hours * 3600, running)
    return Answer(
        question=asked,
        month_hours=month,
        stopped=stopped if can_stop else Rate(),
        saved_share=saved_share(running, stopped.usd_per_hour) if can_stop else None,
        rebuild=rebuild,
        break_even_h=break_even_h(rebuild.usd, stopped.usd_per_hour) if can_stop else None,
        comparison=compared,
        survive=tuple((path, survives_stop(path, asked.terms)) for path in asked.paths),
        training=Figure() if training is None else Figure(training, "computed"),
        disk_gb=disk_gb(asked.data_gb, asked.checkpoints_gb),
    )


def _rebuild(asked: Question) -> Figure:
    """Return what a new box costs; data that is not brought from elsewhere (0 GB) is free."""
    own = amount(asked.rebuild)
    if own is not None:
        return Figure(own, "user")
    per_gb = 0.0 if asked.gb_in == 0 else asked.usd_per_gb_in
    found = rebuild_cost(asked.setup_hours, asked.price.usd_per_hour, asked.gb_in, per_gb)
    return Figure() if found is None else Figure(found, "computed")


def answer_document(found: Answer) -> dict[str, Any]:
    """Return an answer for JSON: unknown is null, hours, GB and US dollars."""
    asked, compared = found.question, found.comparison
    return {
        "box": asked.box,
        "provider": asked.provider,
        "rate_running": _rate(asked.price),
        "rate_stopped": _rate(found.stopped),
        "hours_per_month": found.month_hours,
        "saved_share": found.saved_share,
        "rebuild": {"usd": found.rebuild.usd, "source": found.rebuild.source},
        "break_even_h": found.break_even_h,
        "pause_h": asked.pause_h,
        "advice": compared.advice if compared else None,
        "reason": compared.reason if compared else None,
        "warning": compared.warning if compared else None,
        "can_stop": asked.terms.can_stop,
        "paths": [{"path": path, "survives_stop": survives} for path, survives in found.survive],
        "outlives_destroy": list(asked.terms.outlives),
        "training": {"hours": asked.hours, "usd": found.training.usd},
        "disk_gb": found.disk_gb,
        "includes": "compute and disk",
    }


def _rate(rate: Rate) -> dict[str, Any]:
    return {"usd_per_hour": rate.usd_per_hour, "source": rate.source}
