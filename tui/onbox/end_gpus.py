"""How much memory of each GPU is in use, asked of nvidia-smi, which may hang for ever."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import Any, Dict, List, Optional

PLACES = (*("/usr/bin", "/usr/local/bin", "/usr/local/nvidia/bin", "/usr/lib/wsl/lib", "/opt/bin"),)
QUERY = ("--query-gpu=index,memory.used,memory.total", "--format=csv,noheader,nounits")
LIMIT_SECONDS = 5.0
MIB = 1 << 20


def gpus(seconds: float = LIMIT_SECONDS) -> Dict[str, Any]:
    """Return ``gpus`` as ``[{index, used, total}]`` in bytes, and ``error`` where none answered.

    A box without nvidia-smi has neither.
    """
    program = _program()
    if program is None:
        return {"gpus": [], "error": None}
    try:
        asked = subprocess.Popen(
            (program, *QUERY),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return {"gpus": [], "error": error.strerror or "nvidia-smi cannot be started"}
    try:
        data, _ = asked.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        _end(asked)
        return {"gpus": [], "error": "nvidia-smi gave no answer within %g s" % seconds}
    found = [one for one in map(_parsed, data.decode("utf-8", "replace").splitlines()) if one]
    failed = None if found or not asked.returncode else "nvidia-smi failed (%d)" % asked.returncode
    return {"gpus": found, "error": failed}


def _program() -> Optional[str]:
    folders: List[str] = os.environ.get("PATH", "").split(os.pathsep)
    for folder in (*folders, *PLACES):
        path = os.path.join(folder, "nvidia-smi")
        if folder and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def _end(asked: subprocess.Popen[bytes]) -> None:
    """Kill a question that hangs; one that hangs in the driver is not even waited for."""
    try:
        os.killpg(asked.pid, signal.SIGKILL)
    except OSError:
        pass


def _parsed(line: str) -> Optional[Dict[str, Any]]:
    try:
        index, used, total = (int(part) for part in line.split(","))
    except ValueError:
        return None
    return {"index": index, "used": used * MIB, "total": total * MIB}
