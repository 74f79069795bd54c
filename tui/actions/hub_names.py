"""Where a push goes: ``ORG/REPO[/PREFIX]``, the Hub's rules for it, and paths in a repository."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from tui.errors import UserError, closest
from tui.text import said

MAX_NAME = 96
MAX_PATH = 500
PLACES = ("run", "box")
SITES = (
    *("https://huggingface.co/", "https://hf.co/", "huggingface.co/", "hf.co/"),
    *("hf://models/", "hf://"),
)
PAGES = ("tree", "blob", "resolve")
"""What the Hub's site puts between a repository and a revision."""
OTHER_KINDS = ("datasets", "spaces", "models", "buckets", "kernels")
RULES = "letters, digits, '-', '_' and '.', up to 96, without '--' or '..', no '-' or '.' at an end"

_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?")
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_PLACE = re.compile(r"\{([^{}]*)\}")
_FORBIDDEN_FOLDERS = (".git", ".cache")


@dataclass(frozen=True, slots=True)
class Destination:
    """A repository of models and a directory in it, ``""`` for its top."""

    repo: str
    prefix: str = ""

    @property
    def namespace(self) -> str:
        """The user or organization."""
        return self.repo.split("/")[0]

    def __str__(self) -> str:
        return f"{self.repo}/{self.prefix}" if self.prefix else self.repo


def destination(text: str) -> Destination:
    """Return where ``ORG/REPO[/PREFIX]`` leads, also as an address of the Hub's site.

    Raises UserError that names the part the Hub would not take.
    """
    text = text.strip()
    is_address = text.startswith(SITES)
    for site in SITES:
        text = text.removeprefix(site)
    parts = text.strip("/").split("/")
    if is_address:
        parts = _without_page(parts)
    if len(parts) < 2 or not all(parts[:2]):
        raise UserError(
            f"{said(text)!r} names no repository", "write it as ORG/REPO, for example my-org/my-run"
        )
    if parts[0] in OTHER_KINDS:
        raise UserError(
            f"boxtop pushes to repositories of models, not to {parts[0]}: {said(text)!r}",
            "write it as ORG/REPO, for example my-org/my-run",
        )
    for part in parts[:2]:
        _check_name(part)
    prefix = "/".join(parts[2:])
    if prefix:
        check_path(prefix)
    return Destination("/".join(parts[:2]), prefix)


def _without_page(parts: list[str]) -> list[str]:
    """Return the parts of an address as a browser shows it without the page and its branch."""
    if len(parts) < 3 or parts[2] not in PAGES:
        return parts
    if parts[3:4] not in ([], ["main"]):
        raise UserError(
            f"boxtop pushes to the branch main alone: {said('/'.join(parts))!r}",
            "write it as ORG/REPO, for example my-org/my-run",
        )
    return parts[:2] + parts[4:]


def filled(template: str, run: str, box: str) -> Destination:
    """Return the destination that a template of ``[hub] to`` names for a run of a box.

    In ``ORG/REPO`` unsafe characters of run and box are replaced; behind it, a run's own
    directories stay directories. Raises UserError for a place that is not ``{run}`` or ``{box}``.
    """
    for name in _PLACE.findall(template):
        if name not in PLACES:
            near = closest(name, PLACES)
            hint = f"did you mean {{{near}}}?" if near else "{run} and {box} can be filled in"
            raise UserError(f"{{{said(name)}}} is unknown in {said(template)!r}", hint)
    parts = template.split("/")
    names = {"run": safe_name(run), "box": safe_name(box)}
    paths = {"run": safe_path(run), "box": safe_path(box)}
    repo = [_shortened(_fill(part, names)) for part in parts[:2]]
    rest = [_fill(part, paths) for part in parts[2:]]
    return destination("/".join(repo + rest))


def safe_name(text: str) -> str:
    """Return a run's or box's name as the Hub takes it in a repository's.

    A directory's slash becomes a dash. When more than that is lost, six digits of the name's
    hash keep two runs apart.
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    name = _UNSAFE.sub("-", plain)
    name = re.sub(r"-{2,}", "-", re.sub(r"\.{2,}", ".", name)).strip("-.")
    if name != text.replace("/", "-") or name.endswith(".git"):
        name = f"{name}-{_digest(text)}".lstrip("-")
    return _shortened(name or "run")


def safe_path(text: str) -> str:
    """Return a run's name as directories of a repository."""
    return "/".join(safe_name(part) for part in text.split("/") if part)


def paths_in_repo(place: Destination, files: Iterable[str]) -> dict[str, str]:
    """Return the path in the repository of each file, by its path in the run's directory.

    Raises UserError for a path that the Hub refuses or that leaves its directory.
    """
    found = {}
    for file in files:
        path = f"{place.prefix}/{file}" if place.prefix else file
        check_path(path)
        found[file] = path
    return found


def check_path(path: str) -> None:
    """Raise UserError when a path cannot be one of a repository."""
    parts = path.split("/")
    shown = said(path, 120)
    if any(part in ("", ".", "..") for part in parts):
        raise UserError(f"{shown!r} leads nowhere in a repository")
    if any(part in _FORBIDDEN_FOLDERS for part in parts):
        raise UserError(f"the Hub takes nothing below .git or .cache: {shown!r}")
    if "\\" in path or not path.isprintable() or len(path.encode("utf-8", "replace")) > MAX_PATH:
        raise UserError(f"the Hub does not take this path: {shown!r}")


def _check_name(name: str) -> None:
    wrong = "--" in name or ".." in name or name.endswith(".git") or len(name) > MAX_NAME
    if wrong or not _NAME.fullmatch(name):
        raise UserError(f"the Hub does not take the name {said(name, 120)!r}", f"allowed: {RULES}")


def _shortened(name: str) -> str:
    """Return a name within the Hub's limit, still one of its own."""
    if len(name) <= MAX_NAME:
        return name
    return f"{name[: MAX_NAME - 7].rstrip('-.')}-{_digest(name)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:6]


def _fill(part: str, values: dict[str, str]) -> str:
    return _PLACE.sub(lambda match: values[match.group(1)], part)
