"""A real tmux, driven as a person does."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.waiting import wait_until

ROOT = Path(__file__).parents[1]


class Tmux:
    """A tmux server of its own with one pane."""

    def __init__(self, socket: Path) -> None:
        self.socket = socket

    def __call__(self, *arguments: str) -> str:
        """Run a tmux command."""
        return subprocess.run(
            ["tmux", "-u", "-S", str(self.socket), "-f", "/dev/null", *arguments],
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    def start(self, size: tuple[int, int], term: str, *command: str, **env: str) -> None:
        """Start a command in a pane of this size."""
        names = [word for name, value in env.items() for word in ("-e", f"{name}={value}")]
        width, height = map(str, size)
        self("new-session", "-d", "-x", width, "-y", height, "sleep", "600")
        self("set-option", "-g", "default-terminal", term)
        self("new-window", "-c", str(ROOT), *names, *command)

    def screen(self) -> str:
        """What stands in the pane."""
        return self("capture-pane", "-p")

    def shows(self, *words: str) -> None:
        """Wait until all words are on the screen."""
        missing = list(words)

        def is_complete() -> bool:
            screen = self.screen()
            missing[:] = [word for word in words if word not in screen]
            return not missing

        try:
            wait_until(is_complete, 60)
        except AssertionError as error:
            raise AssertionError(f"{missing} not on the screen:\n{self.screen()}") from error


@pytest.fixture
def tmux() -> Iterator[Tmux]:
    """A tmux server that ends with the test; a socket's path has to be short."""
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    with tempfile.TemporaryDirectory(dir="/tmp") as directory:
        server = Tmux(Path(directory) / "tmux")
        yield server
        subprocess.run(["tmux", "-S", str(server.socket), "kill-server"], capture_output=True)
