"""A running demo, as the command line uses it.

    with DemoSession(speed=2.0) as demo:
        watch(demo.boxes, known_hosts=demo.known_hosts, ssh_config=demo.ssh_config, data=demo.data)

Everything lies in one temporary directory and is gone after ``close``, or as soon as this process
ends in any other way.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

import tui
from tui.boxes import Box, SshTarget
from tui.demo.environment import USER
from tui.demo.sandbox import Sandbox, make_sandbox
from tui.demo.worker import Plan, Ready
from tui.errors import UserError

WORKER = "tui.demo.worker"
_LOG = "worker.log"
_END_SECONDS = 10.0


class DemoError(UserError):
    """Why there is no demo."""


class DemoSession:
    """Demo boxes on loopback. ``speed`` plays recordings faster; ``train`` trains for real.

    Starting costs nothing: the boxes come up while the caller goes on, ``boxes`` waits for them.
    Raises DemoError when ``train`` lacks LibreYOLO, or when the boxes do not come up.
    """

    def __init__(
        self, *, speed: float = 1.0, train: bool = False, python: str = sys.executable
    ) -> None:
        if not speed > 0:
            raise DemoError(f"the speed must be above 0, not {speed:g}")
        if train and python == sys.executable:
            _require_libreyolo()
        self._sandbox: Sandbox = make_sandbox()
        plan = Plan(str(self._sandbox.path), self._sandbox.lock, speed, train, python)
        with (self._sandbox.path / _LOG).open("wb") as log:
            self._worker = subprocess.Popen(
                [sys.executable, "-P", "-m", WORKER, msgspec.json.encode(plan)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd="/",
                env={**os.environ, "PYTHONPATH": _package_parent()},
                pass_fds=(self._sandbox.lock,),
                start_new_session=True,  # Ctrl-C in the terminal is not meant for it
            )

    @cached_property
    def boxes(self) -> tuple[Box, ...]:
        """The boxes, ready to be watched."""
        ready = self._ready()
        return tuple(self._box(name, port) for name, port in ready.ports.items())

    @property
    def known_hosts(self) -> Path:
        """The known_hosts file to use instead of the user's."""
        return self._sandbox.known_hosts

    @property
    def ssh_config(self) -> Path:
        """The OpenSSH configuration to use instead of the user's."""
        return self._sandbox.ssh_config

    @property
    def data(self) -> Path:
        """The directory for the mirror."""
        return self._sandbox.data

    @property
    def directory(self) -> Path:
        """The demo's own directory, which holds all of the above."""
        return self._sandbox.path

    def close(self) -> None:
        """End the boxes and remove the directory; may be called again."""
        for pipe in (self._worker.stdin, self._worker.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        try:
            self._worker.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._worker.kill()
            self._worker.wait()
        self._sandbox.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _ready(self) -> Ready:
        assert self._worker.stdout is not None
        line = self._worker.stdout.readline()
        try:
            return msgspec.json.decode(line, type=Ready)
        except msgspec.DecodeError:
            lines = (self._sandbox.path / _LOG).read_text(errors="replace").splitlines()
            why = lines[-1] if lines else "its process ended without a word"
            raise DemoError(f"the demo's boxes do not start: {why}") from None

    def _box(self, name: str, port: int) -> Box:
        from tui.demo.scene import BOXES

        price = next((plan.price_per_hour for plan in BOXES if plan.name == name), None)
        target = SshTarget("127.0.0.1", USER, port, (str(self._sandbox.client_key),))
        return Box(name, f"{USER}@127.0.0.1:{port}", target, ("~/runs",), price_per_hour=price)


def _require_libreyolo() -> None:
    from tui.demo.train import HOW_TO_INSTALL, missing

    lacking = missing()
    if lacking:
        raise DemoError(
            f"--train trains for real and needs {', '.join(lacking)}", f"install: {HOW_TO_INSTALL}"
        )


def _package_parent() -> str:
    """Where the worker finds this very package, be it installed or a checkout."""
    return str(Path(tui.__file__).resolve().parent.parent)
