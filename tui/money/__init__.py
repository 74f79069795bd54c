"""What a box costs: pure sums over rates per hour. Money is US dollars.

Unknown is None and stays None: nothing unknown is ever counted as free. A missing, negative or
not finite input gives no figure. Every figure carries its source.
"""

from __future__ import annotations

from tui.money.account import (
    Level,
    Outlook,
    Runway,
    contract_outlook,
    credit_outlook,
    runway,
    runway_s,
    runway_text,
)
from tui.money.disk import DISK_MARGIN, disk_gb
from tui.money.figures import (
    COVERAGE,
    NO_RATE,
    Figure,
    Rate,
    Source,
    Total,
    amount,
    rate_text,
    total,
    usd_text,
)
from tui.money.pause import (
    DESTROY_WARNING,
    STOP_WARNING,
    Advice,
    Comparison,
    break_even_h,
    compare,
    hours_words,
    rebuild_cost,
)
from tui.money.rates import (
    HOURS_PER_MONTH,
    PROVIDER_HOURS,
    Bills,
    hours_per_month,
    rate_now,
    saved_share,
    stopped_rate,
)
from tui.money.spent import (
    RunCost,
    bills_text,
    cost_of,
    figure_of,
    hours_text,
    idle_seconds,
    idle_text,
    run_cost,
)
from tui.money.terms import DOCUMENTED, Terms, survives_stop

__all__ = [
    "COVERAGE",
    "DESTROY_WARNING",
    "DISK_MARGIN",
    "DOCUMENTED",
    "HOURS_PER_MONTH",
    "NO_RATE",
    "PROVIDER_HOURS",
    "STOP_WARNING",
    "Advice",
    "Bills",
    "Comparison",
    "Figure",
    "Level",
    "Outlook",
    "Rate",
    "RunCost",
    "Runway",
    "Source",
    "Terms",
    "Total",
    "amount",
    "bills_text",
    "break_even_h",
    "compare",
    "contract_outlook",
    "cost_of",
    "credit_outlook",
    "disk_gb",
    "figure_of",
    "hours_per_month",
    "hours_text",
    "hours_words",
    "idle_seconds",
    "idle_text",
    "rate_now",
    "rate_text",
    "rebuild_cost",
    "run_cost",
    "runway",
    "runway_s",
    "runway_text",
    "saved_share",
    "stopped_rate",
    "survives_stop",
    "total",
    "usd_text",
]
