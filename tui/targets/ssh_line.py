"""The ssh command that a provider's page shows, read as an address."""

from __future__ import annotations

import re
import shlex

from tui.boxes import SshTarget
from tui.errors import UserError
from tui.targets.addresses import (
    PROMPT,
    checked_host,
    checked_jump,
    checked_path,
    checked_port,
    checked_user,
    is_ipv6,
    split_url,
)
from tui.text import one_line

_FLAGS = frozenset("46AaCfGgKkMNnqsTtVvXxYy")
_WITH_ARGUMENT = frozenset("BbcDEeFIiJLlmOoPpQRSWw")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_UNDERSTOOD = {"port": "p", "user": "l", "identityfile": "i", "proxyjump": "J"}
"""Options of ``-o`` that say the same as a letter."""


def parse_ssh_line(text: str) -> SshTarget:
    """Read an ssh command, with or without the word ssh, as ssh itself reads it.

    Of an option that is given twice the first counts; options may follow the host; a command at
    the end is not run. What cannot be used is named in ``ignored``, with its argument. Raises
    UserError.
    """
    words = _words(text)
    line = _SshLine()
    line.read(words)
    return line.target()


def _words(text: str) -> list[str]:
    joined = text.replace("\\\r\n", " ").replace("\\\n", " ")
    joined = PROMPT.sub("", joined, count=1).rstrip().rstrip("`")
    try:
        words = shlex.split(joined)
    except ValueError as error:
        raise UserError(
            f"cannot read the ssh line {one_line(text, 80)!r}: {str(error).lower()}",
            "paste the whole line, with both quotes",
        ) from None
    while words and _ASSIGNMENT.fullmatch(words[0]):
        del words[0]
    if words and words[0].rsplit("/", 1)[-1] == "ssh" and "://" not in words[0]:
        del words[0]
    return words


class _SshLine:
    """What has been understood of the words so far."""

    def __init__(self) -> None:
        self.host: str | None = None
        self.user: str | None = None
        self.port: int | None = None
        self.jump: str | None = None
        self.identity_files: list[str] = []
        self.ignored: list[str] = []

    def read(self, words: list[str]) -> None:
        """Take all words: options, the host, options again, then a command."""
        at = 0
        while at < len(words):
            word = words[at]
            at += 1
            if word == "--" and at < len(words) and self.host is None:
                self._set_host(words[at])
                at += 1
            elif len(word) > 1 and word.startswith("-") and word != "--":
                at += self._options(word, words[at : at + 1])
            elif self.host is None:
                self._set_host(word)
            else:
                command = [word, *words[at:]] if word != "--" else words[at:]
                if command:
                    self.ignored.append(f"the command {_named(' '.join(command))}")
                return

    def target(self) -> SshTarget:
        """Return the address. Raises UserError when no host was named."""
        if self.host is None:
            raise UserError(
                "the ssh line names no host", "write it like `ssh -p 41022 root@203.0.113.7`"
            )
        return SshTarget(
            host=self.host,
            user=self.user,
            port=self.port,
            identity_files=tuple(self.identity_files),
            jump=self.jump,
            ignored=tuple(self.ignored),
        )

    def _options(self, word: str, following: list[str]) -> int:
        """Take a word of letters (``-Np41022``); return how many following words were used."""
        if word.startswith("--"):
            self.ignored.append(_named(word))
            return 0
        for index, letter in enumerate(word[1:], start=2):
            if letter not in _WITH_ARGUMENT:
                self.ignored.append(_named(f"-{letter}"))
                continue
            attached = word[index:]
            if not attached and not following:
                raise UserError(f"the option -{letter} of the ssh line has no value")
            self._option(letter, attached or following[0])
            return 0 if attached else 1
        return 0

    def _option(self, letter: str, value: str) -> None:
        match letter:
            case "p":
                port = checked_port(value)
                self.port = port if self.port is None else self.port
            case "l":
                user = checked_user(value)
                self.user = user if self.user is None else self.user
            case "i":
                self.identity_files.append(checked_path(value))
            case "J":
                jump = checked_jump(value)
                self.jump = jump if self.jump is None else self.jump
            case "o":
                self._config_option(value)
            case _:
                self.ignored.append(_named(f"-{letter} {value}"))

    def _config_option(self, text: str) -> None:
        match = re.fullmatch(r"\s*(\w+)(?:\s*=\s*|\s+)(.*?)\s*", text, re.DOTALL)
        letter = _UNDERSTOOD.get(match[1].lower()) if match else None
        if match is None or letter is None:
            self.ignored.append(_named(f"-o {text}"))
            return
        self._option(letter, match[2].strip('"'))

    def _set_host(self, word: str) -> None:
        user: str | None
        port: int | None = None
        if word.startswith("ssh://"):
            user, self.host, port, root = split_url(word)
            if root is not None:
                self.ignored.append(f"the path {_named(checked_path(root))}")
        else:
            login, at, address = word.rpartition("@")
            user = checked_user(login) if at else None
            match = re.fullmatch(r"(\[[^\]]*\]|[^:]*):([0-9]+)", address)
            if match is not None and not is_ipv6(address):
                address, port = match[1], checked_port(match[2])
            self.host = checked_host(address)
        self.user = user if self.user is None else self.user
        self.port = port if self.port is None else self.port


def _named(text: str) -> str:
    return one_line(text, 120)
