"""Where each key of a TOML document stands: tomllib reads values but forgets their lines."""

from __future__ import annotations

import tomllib

KeyPath = tuple[str, ...]

_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_SPACE = " \t\r"


class TomlLines:
    """The lines of all keys and tables of a document, counted from 1.

    Works on documents that are not valid, too: reading simply ends where nothing makes sense.
    ``repeated`` is the first key or table that is given twice: its path, and both lines.
    """

    def __init__(self, text: str) -> None:
        self.lines: dict[KeyPath, int] = {}
        self.repeated: tuple[KeyPath, int, int] | None = None
        self._text = text
        self._at = 0
        self._line = 1
        self._tables: dict[KeyPath, int] = {}
        self._given: dict[KeyPath, int] = {}
        self._arrays = 0
        self._read_document()

    def of(self, path: KeyPath) -> int:
        """Return the line of a key, or of the nearest table around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    def _read_document(self) -> None:
        table: KeyPath = ()
        while self._skip_blank():
            if self._peek() == "[":
                header = self._read_header()
                if header is None:
                    return
                table = header
            elif not self._read_pair(table):
                return

    def _read_header(self) -> KeyPath | None:
        line = self._line
        is_array = self._text.startswith("[[", self._at)
        self._at += 2 if is_array else 1
        path = self._read_key()
        if path is None or self._peek() != "]":
            return None
        self._at += 2 if is_array else 1
        if is_array:
            self._begin_item(path)
        else:
            self._note_twice(path, line, self._tables.get(path))
            self._tables[path] = line
        self._note(path, line)
        return path

    def _read_pair(self, table: KeyPath) -> bool:
        line = self._line
        key = self._read_key()
        if key is None or self._peek() != "=":
            return False
        self._at += 1
        path = table + key
        if not self._arrays:
            self._note_twice(path, line, self._given.get(path))
        self._note(path, line)
        return self._read_value(path)

    def _note(self, path: KeyPath, line: int) -> None:
        for length in range(1, len(path) + 1):
            self.lines.setdefault(path[:length], line)
            self._given.setdefault(path[:length], line)

    def _begin_item(self, path: KeyPath) -> None:
        """Each item of an array of tables has its own keys, whatever the one before had."""
        for known in (self._given, self._tables):
            for key in [key for key in known if key[: len(path)] == path]:
                del known[key]

    def _note_twice(self, path: KeyPath, line: int, before: int | None) -> None:
        if before is not None and self.repeated is None:
            self.repeated = (path, line, before)

    def _read_key(self) -> KeyPath | None:
        parts: list[str] = []
        while True:
            self._skip_space()
            part = self._read_key_part()
            if part is None:
                return None
            parts.append(part)
            self._skip_space()
            if self._peek() != ".":
                return tuple(parts)
            self._at += 1

    def _read_key_part(self) -> str | None:
        start = self._at
        if self._peek() in ('"', "'"):
            content = self._read_string()
            written = self._text[start : self._at]
            return _unescaped(written) if content and "\\" in content else content
        while self._peek() and self._peek() in _BARE:
            self._at += 1
        return self._text[start : self._at] or None

    def _read_value(self, path: KeyPath) -> bool:
        self._skip_space()
        mark = self._peek()
        if mark in ('"', "'"):
            return self._read_string() is not None
        if mark == "[":
            self._arrays += 1
            is_read = self._read_items(path, "]")
            self._arrays -= 1
            return is_read
        if mark == "{":
            return self._read_items(path, "}")
        start = self._at
        while self._peek() and self._peek() not in ",]}#\n":
            self._at += 1
        return self._at > start

    def _read_items(self, path: KeyPath, end: str) -> bool:
        self._at += 1
        while self._skip_blank():
            if self._peek() == end:
                self._at += 1
                return True
            if self._peek() == ",":
                self._at += 1
            elif not (self._read_pair(path) if end == "}" else self._read_value(path)):
                return False
        return False

    def _read_string(self) -> str | None:
        mark = self._peek()
        if self._text.startswith(mark * 3, self._at):
            mark *= 3
        start = self._at = self._at + len(mark)
        while self._at < len(self._text):
            if self._text.startswith(mark, self._at):
                content = self._text[start : self._at]
                self._at += len(mark)
                return content
            if len(mark) == 1 and self._peek() == "\n":
                return None
            if self._peek() == "\\" and mark[0] == '"':
                self._step()
            self._step()
        return None

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _step(self) -> None:
        if self._peek() == "\n":
            self._line += 1
        self._at += 1

    def _skip_space(self) -> None:
        while self._peek() and self._peek() in _SPACE:
            self._at += 1

    def _skip_blank(self) -> bool:
        """Skip blanks, newlines and comments; False at the end of the document."""
        while self._at < len(self._text):
            if self._peek() == "#":
                while self._peek() not in ("", "\n"):
                    self._at += 1
            elif self._peek() == "\n" or self._peek() in _SPACE:
                self._step()
            else:
                return True
        return False


def _unescaped(string: str) -> str:
    """Return what a quoted key says; a key with an escape that is none stays as written."""
    try:
        return str(tomllib.loads(f"key = {string}")["key"])
    except tomllib.TOMLDecodeError:
        return string
