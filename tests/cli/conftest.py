"""Runs boxtop as a person does: in this process, or as one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tui.cli import run

PROJECT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Called:
    """What a call of boxtop came to."""

    code: int
    out: str
    err: str


Boxtop = Callable[..., Called]


@pytest.fixture
def boxtop(capsys: pytest.CaptureFixture[str]) -> Boxtop:
    """Call boxtop in this process, without a terminal; no call may show a traceback."""

    def call(*arguments: object) -> Called:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        seen = capsys.readouterr()
        assert "Traceback" not in seen.out + seen.err
        return Called(code, seen.out, seen.err)

    return call


@pytest.fixture
def spawn() -> Callable[..., subprocess.Popen[bytes]]:
    """Start boxtop as a process of its own, with pipes."""

    def start(*arguments: object, **environment: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "tui", *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(PROJECT), **environment},
        )

    return start


def write_config(home: Path, text: str) -> Path:
    """Write boxtop.toml where ``home`` has it; returns its path."""
    path = home / ".config" / "boxtop" / "boxtop.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    path.chmod(0o600)
    return path
