"""Places outside of the home where people train: what lies at the top of the box's own disks.

Disks of other machines outlive the box: they are left out.
"""

from __future__ import annotations

import os
from typing import List

from tui.onbox.mounts import foreign_mounts

SYSTEM = frozenset(b"bin boot cdrom dev etc lost+found opt proc run sbin snap sys usr var".split())
LIBRARIES = b"lib"
LAST = b"tmp"


def wide_places(top: bytes = b"/") -> List[bytes]:
    """Return the directories to search, those that may hold most rubbish last; links are none."""
    foreign, found = foreign_mounts(), []
    for name in sorted(_names(top), key=lambda name: (name == LAST, name)):
        path = os.path.join(top, name)
        if name in SYSTEM or name.startswith((LIBRARIES, b".")) or path in foreign:
            continue
        if os.path.isdir(path) and not os.path.islink(path) and _names(path):
            found.append(path)
    return found


def _names(path: bytes) -> List[bytes]:
    try:
        return os.listdir(path)
    except OSError:
        return []
