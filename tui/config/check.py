"""From a TOML document to Settings: every mistake is found, with its line and what is allowed."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar, get_args

import msgspec

from tui.config.settings import (
    PROVIDERS,
    SECRET_KEYS,
    AlertSettings,
    AutoPush,
    BoxSettings,
    Duration,
    HubSettings,
    ProviderSettings,
    Settings,
    WatchSettings,
)
from tui.config.toml_lines import KeyPath, TomlLines
from tui.errors import UserError, closest
from tui.text import one_line, redact

Section = TypeVar("Section", bound=msgspec.Struct)

BOX_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_BEST_EVERY_LEAST = 300.0
"""The Hub allows about 128 commits an hour and repository."""
_PLACEHOLDERS = ("run", "box")


class Checker:
    """Converts a document and gathers ``problems``, each as ``file:line: key: what is wrong``."""

    def __init__(self, file: str, lines: TomlLines) -> None:
        self.problems: list[str] = []
        self._file = file
        self._lines = lines

    def settings(self, document: Mapping[str, Any]) -> Settings:
        """Return what could be understood; it counts only when there are no problems."""
        self._known_keys((), document, Settings.__struct_fields__)
        providers = self._tables("providers", document, ProviderSettings)
        self._known_keys(("providers",), providers, PROVIDERS)
        boxes = self._tables("box", document, BoxSettings)
        for name, box in boxes.items():
            self._check_box(name, box)
        return Settings(
            watch=self._section(("watch",), document, WatchSettings),
            hub=self._section(("hub",), document, HubSettings),
            alerts=self._section(("alerts",), document, AlertSettings),
            keys=self._keys(document),
            providers=providers,
            box=boxes,
        )

    def _section(self, path: KeyPath, around: Mapping[str, Any], kind: type[Section]) -> Section:
        table = around.get(path[-1], {})
        if not isinstance(table, dict):
            self._problem(path, f"must be a table, written [{'.'.join(path)}]")
            return kind()
        self._known_keys(path, table, kind.__struct_fields__)
        values: dict[str, Any] = {}
        for field in msgspec.structs.fields(kind):
            if field.name not in table:
                continue
            if field.type is AutoPush:
                values[field.name] = self._section((*path, field.name), table, AutoPush)
                continue
            try:
                values[field.name] = _convert(table[field.name], field.type)
            except ValueError as error:
                self._wrong_value((*path, field.name), table[field.name], field.type, str(error))
        section = kind(**values)
        if isinstance(section, HubSettings) and section.to is not None:
            self._check_placeholders(section.to)
        if isinstance(section, AlertSettings) and section.urls:
            self._check_addresses(section.urls)
        return section

    def _tables(
        self, name: str, document: Mapping[str, Any], kind: type[Section]
    ) -> dict[str, Section]:
        tables = document.get(name, {})
        if not isinstance(tables, dict):
            self._problem((name,), f"must be tables, each written [{name}.NAME]")
            return {}
        found: dict[str, Section] = {}
        for key, value in tables.items():
            if not isinstance(value, dict):
                self._problem((name, key), f"must be a table, written [{name}.NAME]")
                continue
            found[key] = self._section((name, key), tables, kind)
        return found

    def _keys(self, document: Mapping[str, Any]) -> dict[str, str]:
        table = document.get("keys", {})
        if not isinstance(table, dict):
            self._problem(("keys",), "must be a table, written [keys]")
            return {}
        keys: dict[str, str] = {}
        for action, key in table.items():
            if isinstance(key, str) and key.strip():
                keys[action] = key
            else:
                self._problem(("keys", action), f'must be a key such as "P", not {_found(key)}')
        if keys:
            from tui.keys import bind

            _, errors = bind(keys)
            for error in errors:
                action, _, message = error.removeprefix("keys.").partition(": ")
                self._problem(("keys", action), message)
        return keys

    def _check_box(self, name: str, box: BoxSettings) -> None:
        path = ("box", name)
        if not BOX_NAME.fullmatch(name):
            self._problem(path, "a box's name has letters, digits and . _ + - only, at most 64")
        if box.ssh is not None and box.path is not None:
            self._problem((*path, "path"), "a box has either ssh or path, not both")
        if box.instance is not None and box.path is not None:
            self._problem((*path, "path"), "a directory of this machine is no rented instance")
        if box.instance is not None and (box.stop or box.start or box.destroy or box.state):
            self._problem(
                (*path, "instance"), "a box has either an instance or commands of its own"
            )
        if box.ssh is not None:
            from tui.targets.ssh_line import parse_ssh_line

            try:
                parse_ssh_line(box.ssh)
            except UserError as error:
                self._problem((*path, "ssh"), str(error))

    def _check_placeholders(self, target: str) -> None:
        for name in re.findall(r"\{([^{}]*)\}", target):
            if name not in _PLACEHOLDERS:
                self._problem(("hub", "to"), f"{{{name}}} is not known, only {{run}} and {{box}}")

    def _check_addresses(self, urls: tuple[str, ...]) -> None:
        from tui.alerts.check import url_problem

        for number, url in enumerate(urls, 1):
            if (problem := url_problem(url)) is not None:
                self._problem(("alerts", "urls"), f"address {number} {problem}")

    def _known_keys(
        self, path: KeyPath, table: Mapping[str, object], allowed: tuple[str, ...]
    ) -> None:
        for key in table:
            if key not in allowed:
                near = closest(key, allowed)
                guess = f"did you mean {near}? " if near else ""
                what = "section" if not path else "provider" if path == ("providers",) else "key"
                self._problem((*path, key), f"unknown {what}; {guess}allowed: {', '.join(allowed)}")

    def _wrong_value(self, path: KeyPath, value: object, kind: object, error: str) -> None:
        secret = path[0] == "providers" and path[-1] in SECRET_KEYS
        index = re.search(r"\$\[(\d+)\]`$", error)
        if index and isinstance(value, list):
            value = value[int(index[1])]
        guess = ""
        if isinstance(value, str) and (near := closest(value, _choices(kind))):
            guess = f"; did you mean {json.dumps(near)}?"
        found = "this" if secret else _found(value)
        self._problem(path, f"must be {_allowed(kind)}, not {found}{guess}")

    def _problem(self, path: KeyPath, message: str) -> None:
        line = self._lines.of(path)
        key = ".".join(part if BOX_NAME.fullmatch(part) else json.dumps(part) for part in path)
        self.problems.append(f"{self._file}:{line}: {one_line(key)}: {one_line(message)}")


def _convert(value: object, kind: object) -> object:
    """Return a value as a setting's type. Raises ValueError (msgspec's, with a path) otherwise."""
    found: object = msgspec.convert(value, kind, dec_hook=_decode)
    if isinstance(found, float) and not math.isfinite(found):
        raise ValueError("not finite")
    return found


def _decode(kind: type, value: object) -> Duration:
    """Read a time such as "20m", the one type of a setting that msgspec does not know."""
    match = re.fullmatch(r"(\d{1,9})([smhd])", value) if isinstance(value, str) else None
    if kind is not Duration or match is None:
        raise ValueError("not a time")
    seconds = int(match[1]) * _UNITS[match[2]]
    if seconds < _BEST_EVERY_LEAST:
        raise ValueError("too short")
    return Duration(seconds)


def _metas(kind: object) -> Iterator[msgspec.Meta]:
    """Yield the Meta of a type, the outermost first."""
    for meta in getattr(kind, "__metadata__", ()):
        if isinstance(meta, msgspec.Meta):
            yield meta
    for inner in get_args(kind):
        yield from _metas(inner)


def _allowed(kind: object) -> str:
    described = (meta.description for meta in _metas(kind) if meta.description)
    return next(described, "something else")


def _choices(kind: object) -> tuple[str, ...]:
    """Return the words of a Literal anywhere in a type."""
    inner = get_args(kind)
    if inner and all(isinstance(word, str) for word in inner):
        return inner
    return tuple(word for part in inner for word in _choices(part))


def _found(value: object) -> str:
    """Describe a value of the file in a few words."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text {json.dumps(one_line(redact(value), 60), ensure_ascii=False)}"
    if isinstance(value, (int, float)):
        return one_line(f"the number {value}", 60)
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "a table" if isinstance(value, dict) else "a date or time"
