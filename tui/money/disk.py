"""How large a disk to rent: it cannot be made larger later."""

from __future__ import annotations

import math

from tui.money.figures import amount, finite

DISK_MARGIN = 1.3
"""Room above data and checkpoints: a second last.pt while it is written, logs, caches."""


def disk_gb(data_gb: object, checkpoints_gb: object) -> int | None:
    """Return the disk size to rent for data and checkpoints, in whole GB, rounded up.

    ``(data_gb + checkpoints_gb) × 1.3``; None when either is unknown.
    """
    data, checkpoints = amount(data_gb), amount(checkpoints_gb)
    if data is None or checkpoints is None:
        return None
    size = finite((data + checkpoints) * DISK_MARGIN)
    return None if size is None else math.ceil(round(size, 6))
