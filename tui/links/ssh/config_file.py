"""Read OpenSSH client configuration files, for machines where `ssh -G` cannot be asked.

The rules are those of ssh_config(5): the first value of a keyword wins, some accumulate, an
``Include`` is followed where it stands. A ``Match`` with a criterion that cannot be evaluated here
(exec, tagged, localnetwork, canonical, …) is not applied, and a notice names it.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ACCUMULATING = frozenset({"identityfile", "certificatefile"})
WHOLE_LINE = frozenset({"proxycommand", "remotecommand", "knownhostscommand", "localcommand"})
DEEPEST_INCLUDE = 16
_WORD = re.compile(r"""(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|((?:\\.|[^\s"'\\])+))""")


@dataclass(slots=True)
class Lookup:
    """What the files say about one host: keyword (lower case) → values in the order found."""

    host: str
    user: str | None
    local_user: str
    values: dict[str, list[str]] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    patterns: list[str] = field(default_factory=list)

    def take(self, keyword: str, arguments: Sequence[str]) -> None:
        """Remember a value unless an earlier one wins; ProxyJump and ProxyCommand are one."""
        if keyword in ACCUMULATING:
            seen = self.values.setdefault(keyword, [])
            seen.extend(value for value in arguments[:1] if value not in seen)
            return
        rival = {"proxyjump": "proxycommand", "proxycommand": "proxyjump"}.get(keyword, keyword)
        if keyword not in self.values and rival not in self.values and arguments:
            self.values[keyword] = list(arguments)

    def first(self, keyword: str) -> str | None:
        """Return the value that wins, or None."""
        found = self.values.get(keyword)
        return found[0] if found else None


def read_files(
    host: str, user: str | None, local_user: str, files: Sequence[Path], home: Path
) -> Lookup:
    """Look ``host`` up in ``files`` (the user's first); missing files are ignored."""
    lookup = Lookup(host, user, local_user)
    for path in files:
        base = path.parent if path.is_relative_to("/etc") else home / ".ssh"
        _Reader(lookup, base, home).read(path, active=True, stack=())
    return lookup


def host_patterns(files: Sequence[Path], home: Path) -> list[str]:
    """Return the patterns of all ``Host`` lines, in order: the names that a person can use."""
    lookup = Lookup("", None, "")
    for path in files:
        base = path.parent if path.is_relative_to("/etc") else home / ".ssh"
        _Reader(lookup, base, home).read(path, active=False, stack=())
    return lookup.patterns


class _Reader:
    """Follows one file and what it includes; ``base`` is where relative includes are found."""

    def __init__(self, lookup: Lookup, base: Path, home: Path) -> None:
        self.lookup = lookup
        self.base = base
        self.home = home

    def read(self, path: Path, active: bool, stack: tuple[str, ...]) -> None:
        identity = os.path.realpath(path)
        if identity in stack or len(stack) > DEEPEST_INCLUDE:
            return
        parent_active = active
        for number, keyword, arguments in _lines(path, self.lookup):
            if keyword == "host":
                self.lookup.patterns.extend(arguments)
                active = parent_active and _host_applies(self.lookup.host, arguments)
            elif keyword == "match":
                where = f"{path} line {number}"
                active = parent_active and _match_applies(self.lookup, arguments, where)
            elif keyword == "include":
                for included in self._included(arguments):
                    self.read(included, active, (*stack, identity))
            elif active:
                self.lookup.take(keyword, arguments)

    def _included(self, patterns: Sequence[str]) -> Iterator[Path]:
        for pattern in patterns:
            expanded = re.sub(r"\$\{(\w+)\}", lambda m: os.environ.get(m[1], ""), pattern)
            if expanded.startswith("~/"):
                expanded = str(self.home / expanded[2:])
            # Path.glob takes no absolute pattern.
            for found in sorted(glob.glob(str(self.base / expanded))):  # noqa: PTH207
                yield Path(found)


def _lines(path: Path, lookup: Lookup) -> Iterator[tuple[int, str, list[str]]]:
    """Yield (line number, keyword in lower case, arguments) of a file."""
    try:
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return
    except OSError as error:
        lookup.notices.append(f"{path} was not read: {error.strerror}")
        return
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r"""\s*"?([A-Za-z]\w*)"?\s*(?:=\s*|\s)\s*(.*?)\s*$""", line)
        if found:
            keyword = found[1].lower()
            yield number, keyword, [found[2]] if keyword in WHOLE_LINE else split_words(found[2])


def split_words(text: str) -> list[str]:
    """Split arguments as OpenSSH does: quotes, backslashes, and ``#`` begins a comment."""
    words: list[str] = []
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        if text[position] == "#":
            break
        word = ""
        while position < len(text) and not text[position].isspace():
            part = _WORD.match(text, position)
            if part is None:  # an unbalanced quote: OpenSSH refuses the line
                return words
            quoted = next(group for group in part.groups() if group is not None)
            word += re.sub(r"""\\(["'\\ ])""", r"\1", quoted)
            position = part.end()
        words.append(word)
    return words


def matches(text: str, pattern: str) -> bool:
    """Whether ``text`` matches a pattern of OpenSSH: ``*`` and ``?`` are all that is special."""
    parts = {"*": ".*", "?": "."}
    expression = "".join(parts.get(character, re.escape(character)) for character in pattern)
    return re.fullmatch(expression, text, re.DOTALL) is not None


def matches_list(text: str, patterns: Sequence[str]) -> bool:
    """Whether any pattern matches and no negated one (``!pattern``) does."""
    found = False
    for pattern in patterns:
        if pattern.startswith("!"):
            if matches(text, pattern[1:]):
                return False
        elif matches(text, pattern):
            found = True
    return found


def _host_applies(host: str, patterns: Sequence[str]) -> bool:
    return matches_list(host, patterns)


def _match_applies(lookup: Lookup, arguments: Sequence[str], where: str) -> bool:
    """Evaluate a Match line; a definite no counts before what cannot be evaluated."""
    unknown: list[str] = []
    for criterion, answer in _criteria(lookup, arguments):
        if answer is False:
            return False
        if answer is None:
            unknown.append(criterion)
    if unknown:
        names = ", ".join(unknown)
        lookup.notices.append(
            f"{where}: `Match {' '.join(arguments)}` is not applied: boxtop cannot evaluate {names}"
        )
        return False
    return bool(arguments)


def _criteria(lookup: Lookup, arguments: Sequence[str]) -> Iterator[tuple[str, bool | None]]:
    """Yield each criterion with its answer, None where it cannot be known."""
    words = [part for word in arguments for part in _at_equals(word)]
    position = 0
    while position < len(words):
        word = words[position].lower()
        negated, name = word.startswith("!"), word.removeprefix("!")
        position += 1
        if name == "all":
            yield name, not negated
            continue
        if name in {"canonical", "final"}:
            yield name, None
            continue
        wanted = words[position].split(",") if position < len(words) else []
        position += 1
        answer = _criterion(lookup, name, wanted)
        yield name, None if answer is None else answer != negated


def _at_equals(word: str) -> list[str]:
    name, equals, value = word.partition("=")
    return [name, value] if equals and name.removeprefix("!").isalpha() else [word]


def _criterion(lookup: Lookup, name: str, wanted: Sequence[str]) -> bool | None:
    if name == "host":
        hostname = (lookup.first("hostname") or "%h").replace("%h", lookup.host)
        return matches_list(hostname.lower(), [pattern.lower() for pattern in wanted])
    if name == "originalhost":
        return matches_list(lookup.host.lower(), [pattern.lower() for pattern in wanted])
    if name == "user":
        user = lookup.user or lookup.first("user") or lookup.local_user
        return matches_list(user, wanted)
    if name == "localuser":
        return matches_list(lookup.local_user, wanted)
    return None
