"""A box whose kernel tells nothing: python3 there runs where no inotify instance may be made."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

SHIM = """\
#!/bin/sh
exec unshare --user --map-root-user /bin/sh -c \\
  'echo 0 >/proc/sys/user/max_inotify_instances && exec {python} "$@"' sh "$@"
"""
PROBE = "import ctypes;print(ctypes.CDLL(None).inotify_init1(0))"


def path_without_inotify(directory: Path) -> str | None:
    """Make a PATH whose python3 has no inotify; None where user namespaces are not permitted."""
    python = shutil.which("python3", path="/usr/local/bin:/usr/bin:/bin")
    shim = directory / "python3"
    directory.mkdir(mode=0o755)
    shim.write_text(SHIM.format(python=python))
    shim.chmod(0o755)
    told = subprocess.run([shim, "-c", PROBE], capture_output=True, text=True)
    return f"{directory}:{os.defpath}" if told.stdout.strip() == "-1" else None
