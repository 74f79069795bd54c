"""huggingface_hub for a box that has none: into a directory of its own, never where training is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from tui.onbox.hub_client import PACKAGE, packages_directory
from tui.onbox.hub_facts import Problem

REQUIREMENTS = ("huggingface_hub>=0.30",)
SECONDS = 600.0


def install(beat: Callable[[], None]) -> dict[str, object]:
    """Run pip, with a sign of life every few seconds; returns ``{directory}``.

    What was there before is only replaced by one that is whole.
    Raises Problem ``NoPip`` or ``PipFailed`` with the last of what pip said.
    """
    directory = packages_directory()
    directory.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = Path(tempfile.mkdtemp(prefix=".packages-", dir=str(directory.parent)))
    try:
        _install_into(new, beat)
        if directory.exists():
            directory.rename(new / ".before")
        new.rename(directory)
        shutil.rmtree(str(directory / ".before"), ignore_errors=True)
    finally:
        shutil.rmtree(str(new), ignore_errors=True)
    return {"directory": str(directory)}


def _install_into(directory: Path, beat: Callable[[], None]) -> None:
    said: list[tuple[int, str]] = []
    thread = threading.Thread(target=lambda: said.append(_pip(str(directory))), daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(5.0)
        if thread.is_alive():
            beat()
    code, text = said[0] if said else (1, "")
    if "No module named pip" in text:
        raise Problem("NoPip", "this python has no pip: " + sys.executable)
    if code != 0:
        raise Problem("PipFailed", text[-1500:])
    if not (directory / PACKAGE / "__init__.py").is_file():
        raise Problem("PipFailed", "pip has installed nothing")


def _pip(directory: str) -> tuple[int, str]:
    options = ["--quiet", "--no-input", "--disable-pip-version-check", "--upgrade"]
    where = ["--target", directory]
    line = [sys.executable, "-m", "pip", "install", *options, *where, *REQUIREMENTS]
    try:
        done = subprocess.run(
            line,
            env={**os.environ, "PIP_USER": "0"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, str(error)
    return done.returncode, done.stdout.decode("utf-8", "replace")
