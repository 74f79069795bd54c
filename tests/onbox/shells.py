"""Shells for tests: this machine with limits, and boxes whose answers somebody meddles with."""

from __future__ import annotations

from collections.abc import Callable

from tui.actions.shell import LocalShell
from tui.links.pipe import Pipe


class LimitedShell(LocalShell):
    """This machine, where no program may write more than so many KiB to one file."""

    def __init__(self, kibibytes: int) -> None:
        super().__init__()
        self._limit = f"ulimit -f {kibibytes * 2}; "

    def run(self, command_line: str, bulk: bool = False) -> Pipe:
        return super().run(self._limit + command_line)


class SpiedShell(LocalShell):
    """This machine; ``meddle`` sees and may change all that programs say."""

    def __init__(self, meddle: Callable[[bytes], bytes]) -> None:
        super().__init__()
        self._meddle = meddle
        self.commands = 0

    def run(self, command_line: str, bulk: bool = False) -> Pipe:
        self.commands += 1
        return _Spied(super().run(command_line), self._meddle)


class _Spied:
    def __init__(self, pipe: Pipe, meddle: Callable[[bytes], bytes]) -> None:
        self._pipe = pipe
        self._meddle = meddle
        self.write = pipe.write
        self.close = pipe.close

    @property
    def errors(self) -> str:
        return self._pipe.errors

    def read(self, timeout: float) -> bytes:
        return self._meddle(self._pipe.read(timeout))


class ScriptedShell:
    """A box that says what it is told to, whatever it is asked: ``{M}`` is the right prefix."""

    lanes = 1

    def __init__(self, *says: str) -> None:
        self.says = says
        self.received = b""

    def run(self, command_line: str, bulk: bool = False) -> Pipe:
        marker = command_line.partition(";M=")[2].partition(";")[0]
        return _Scripted(self, [text.replace("{M}", f"@@{marker} ").encode() for text in self.says])

    def close(self) -> None:
        return


class _Scripted:
    errors = ""

    def __init__(self, shell: ScriptedShell, says: list[bytes]) -> None:
        self._shell = shell
        self._says = says

    def read(self, timeout: float) -> bytes:
        if not self._says:
            raise TimeoutError
        return self._says.pop(0)

    def write(self, data: bytes) -> None:
        self._shell.received += data

    def close(self) -> None:
        return
