"""Reads boxtop.toml; without one everything has its default."""

from __future__ import annotations

import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tui.config.settings import Settings
from tui.errors import UserError

if TYPE_CHECKING:
    from tui.config.toml_lines import TomlLines

_MAX_BYTES = 1_000_000


class Configuration(msgspec.Struct, frozen=True):
    """Settings and where they come from; ``warnings`` are lines that a person should read."""

    settings: Settings
    path: Path
    exists: bool
    warnings: tuple[str, ...] = ()
    box_places: dict[str, str] = {}
    """Where each box stands: the file and the line."""


def load_configuration(path: Path, *, must_exist: bool = False) -> Configuration:
    """Read and check a file.

    Raises UserError that names file, line and key of every mistake, and when a file that a person
    named cannot be read.
    """
    try:
        with path.open("rb") as source:
            data = source.read(_MAX_BYTES + 1)
            mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        if must_exist:
            raise UserError(
                f"{path}: no such file", "`boxtop config init` writes one with comments"
            ) from None
        return Configuration(Settings(), path, exists=False)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from error
    if len(data) > _MAX_BYTES:
        raise UserError(f"{path}: larger than 1 MB, that is no boxtop.toml")
    document, settings, lines = parse_configuration(data, str(path))
    places = {
        name: f"{path}:{lines.of(('box', name, 'path') if box.path else ('box', name))}"
        for name, box in settings.box.items()
    }
    return Configuration(settings, path, True, tuple(_warnings(document, path, mode)), places)


def parse_configuration(data: bytes, file: str) -> tuple[dict[str, Any], Settings, TomlLines]:
    """Return the document, its settings and where all stands. Raises UserError for mistakes."""
    from tui.config.check import Checker
    from tui.config.toml_lines import TomlLines

    text = _decode(data, file)
    try:
        lines = TomlLines(text)
        document = _parse(text, file, lines)
    except RecursionError:
        raise UserError(f"{file}: nested too deeply, that is no boxtop.toml") from None
    checker = Checker(file, lines)
    settings = checker.settings(document)
    if checker.problems:
        raise UserError("\n".join(checker.problems))
    return document, settings, lines


def _decode(data: bytes, file: str) -> str:
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(f"{file}:{line}: not UTF-8: save the file as UTF-8") from None


def _parse(text: str, file: str, lines: TomlLines) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
    except ValueError as error:
        raise UserError(f"{file}: not valid TOML: {error}") from None
    place = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", message)
    line = text.count("\n") + 1
    if place is not None:
        message = message[: place.start()]
        line = int(place[1] or line)
    if lines.repeated is not None and lines.repeated[1] == line:
        path, line, first = lines.repeated
        raise UserError(f"{file}:{line}: {'.'.join(path)}: given twice, first in line {first}")
    raise UserError(f"{file}:{line}: not valid TOML: {message[:1].lower()}{message[1:]}")


def _warnings(document: dict[str, Any], path: Path, mode: int) -> list[str]:
    from tui.config.secrets import secret_keys

    secrets = secret_keys(document)
    if not secrets or not mode & 0o077:
        return []
    return [
        f"{path} holds a secret ({', '.join(secrets)}) and others may read it "
        f"(mode {mode:04o}): chmod 600 {path}"
    ]
