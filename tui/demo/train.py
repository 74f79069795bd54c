"""`boxtop demo --train`: a small real training with LibreYOLO on this machine's CPU."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

from tui.demo.dataset import draw_dataset

EPOCHS = 20
NEEDED = ("libreyolo", "torch", "torchvision")
HOW_TO_INSTALL = "pip install 'boxtop[train]'"

_CALL = "import sys; from libreyolo.cli import entrypoint; sys.exit(entrypoint())"
_LOW_PRIORITY = 10


def missing() -> list[str]:
    """What a real training needs and this Python has not."""
    return [name for name in NEEDED if importlib.util.find_spec(name) is None]


class Training:
    """A LibreYOLO training in ``home``: ``nohup … > train.log 2>&1``, as a person starts it."""

    def __init__(
        self,
        home: Path,
        environment: Mapping[str, str],
        *,
        python: str = sys.executable,
        epochs: int = EPOCHS,
    ) -> None:
        data = draw_dataset(home / "shapes")
        settings = {
            "data": data,
            "model": "LibreYOLO9t.pt",
            "pretrained": "false",
            "imgsz": 64,
            "batch": 8,
            "workers": 0,
            "device": "cpu",
            "epochs": epochs,
            "eval_interval": 2,
            "project": home / "runs",
            "name": "shapes",
        }
        arguments = [f"{key}={value}" for key, value in settings.items()]
        # A shell's `nohup … &` ignores SIGINT and so does this; closing stdin is nohup's part too.
        command = ["/bin/sh", "-c", "trap '' INT; exec nohup \"$@\" > train.log 2>&1", "sh"]
        self._process = subprocess.Popen(
            [*command, python, "-c", _CALL, "train", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=home,
            env={**environment, "OMP_NUM_THREADS": "1"},
            start_new_session=True,
        )
        with contextlib.suppress(OSError):  # the screen goes first
            os.setpriority(os.PRIO_PROCESS, self._process.pid, _LOW_PRIORITY)
        # Waited for, so that it never stands in the process table as a zombie.
        threading.Thread(target=self._process.wait, daemon=True).start()

    def close(self) -> None:
        """End the training if it still runs."""
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
