"""Places outside of the home where people train: what lies at the top of the box's own disks.

Disks of other machines outlive the box: they are left out.
"""

from __future__ import annotations

import os
import pwd
from typing import List

from tui.onbox.mounts import foreign_mounts
from tui.onbox.places import raw

SYSTEM = frozenset(b"bin boot cdrom dev etc lost+found opt proc run sbin snap sys usr var".split())
LIBRARIES = b"lib"
LAST = b"tmp"


def wide_places(top: bytes = b"/") -> List[bytes]:
    """Return the directories to search, those that may hold most rubbish last; links are none.

    A HOME that is not the account's own sets a shell apart: then nothing outside is looked at.
    """
    if not is_at_home():
        return []
    foreign, found = foreign_mounts(), []
    for name in sorted(_names(top), key=lambda name: (name == LAST, name)):
        path = os.path.join(top, name)
        if name in SYSTEM or name.startswith((LIBRARIES, b".")) or path in foreign:
            continue
        if os.path.isdir(path) and not os.path.islink(path) and _names(path):
            found.append(path)
    return found


def is_at_home() -> bool:
    """Whether the HOME of this shell is the home of whoever is logged in."""
    try:
        own = raw(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        return True
    return os.path.realpath(os.environb.get(b"HOME") or own) == os.path.realpath(own)


def _names(path: bytes) -> List[bytes]:
    try:
        return os.listdir(path)
    except OSError:
        return []
