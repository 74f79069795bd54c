"""Which LibreYOLO wrote the weights: by what is installed where the training runs, or ran."""

from __future__ import annotations

import glob
import os
import re
import sys
from typing import Iterable

PACKAGES = ("libreyolo", "torch")
PREFIXES = (
    *("/venv/main", "/opt/venv", "/opt/conda", "~/miniconda3", "~/anaconda3"),
    *("~/.local", "/usr/local", "/usr"),
)
LIBRARIES = (
    *("lib/python3*/site-packages", "lib/python3*/dist-packages"),
    *("local/lib/python3*/dist-packages", "lib/python3/dist-packages"),
)
_MAPPED = re.compile(r"\s(/\S.*?/(?:site|dist)-packages)/")
_MAPS_BYTES = 4 << 20


def versions(pid: int | None) -> dict[str, str | None]:
    """Return the version of each of PACKAGES, None where that cannot be told.

    ``pid`` is the living training's: what it has loaded tells where its packages lie. Without one,
    what is installed counts when there is no other version of it on this machine.
    """
    loaded = _loaded(pid) if pid is not None else []
    places = loaded or [*_installed()]
    found: dict[str, str | None] = {}
    for package in PACKAGES:
        known = {version for place in places for version in _of(package, place)}
        found[package] = known.pop() if len(known) == 1 else None
    return found


def _loaded(pid: int) -> list[str]:
    """Return the directories of packages that a process has libraries of."""
    try:
        with open("/proc/%d/maps" % pid, encoding="utf-8", errors="replace") as file:
            text = file.read(_MAPS_BYTES)
    except OSError:
        return []
    return sorted(set(_MAPPED.findall(text)))


def _installed() -> Iterable[str]:
    for prefix in dict.fromkeys((*PREFIXES, sys.prefix)):
        for library in LIBRARIES:
            yield from glob.glob(os.path.join(os.path.expanduser(prefix), library))


def _of(package: str, place: str) -> list[str]:
    """Return the versions of a package that lie in a directory of packages."""
    found = []
    for path in glob.glob(os.path.join(glob.escape(place), package + "-*.dist-info")):
        version = os.path.basename(path)[len(package) + 1 : -len(".dist-info")]
        if re.match(r"[0-9A-Za-z.+!]{1,40}\Z", version):
            found.append(version)
    return found
