"""From what a person types to a box: names, addresses, pasted ssh lines, paths of this machine."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tui.boxes import Box, LocalTarget, RecordingTarget, SshTarget
from tui.config.settings import PROVIDERS, BoxSettings, Settings
from tui.errors import UserError, closest
from tui.runs import files
from tui.targets.addresses import (
    checked_host,
    checked_path,
    checked_port,
    checked_user,
    is_ipv6,
    is_ssh_line,
    split_url,
)
from tui.targets.instances import instance_name, rented_box, split_instance, with_provider
from tui.targets.names import Names as Names
from tui.targets.names import UnknownTarget
from tui.text import one_line

HOME_RUNS = "~/runs"
"""Searched on every box, whatever the configuration says."""

_RUN_FILES = frozenset({*files.MARKERS, files.LOG, files.CONFIG, files.SUMMARY, files.PROFILE})
_FILE_SUFFIXES = (".jsonl", ".json", ".toml", ".csv", ".log", ".pt", ".yaml", ".yml", ".txt")
_MOST_CHARACTERS = 8192


def parse_target(text: str, names: Names | None = None) -> Box:
    """Return the box that a target names. Raises UserError, and what ``names.listed`` raises.

    Looked at in this order: a name of boxtop.toml, ``PROVIDER:ID``, an ssh line, ``ssh://``, a
    host of ~/.ssh/config, a path that exists, the name of an instance, an address. ``TARGET:RUN``
    names one run; a path that exists wins over it.
    """
    names = names or Names()
    given = text.strip()
    try:
        return _known(text, given, names)
    except UnknownTarget:
        found = names.listed(given)
        if found is None:
            raise
        return found


def _known(text: str, given: str, names: Names) -> Box:
    """Return the box that is meant. Raises UserError; UnknownTarget where nothing is called so."""
    if not given or len(given) > _MOST_CHARACTERS or "\0" in given:
        raise UserError(f"{one_line(text, 60)!r} is no target", FORMS)
    name, colon, run = given.partition(":")
    if given in names.settings.box:
        return configured_box(given, names)
    if colon and name in names.settings.box:
        return replace(configured_box(name, names), text=given, run=_run_id(run, given))
    rented = split_instance(given, names.settings)
    if rented is not None and not names.ssh_hosts().knows(name):
        run_id = None if rented[1] is None else _run_id(rented[1], given)
        return rented_box(rented[0], default_roots(names.settings), run_id)
    if is_ssh_line(given):
        return _line_box(given, names)
    if given.startswith("ssh://"):
        return _url_box(given, names)
    if not _is_path(given) and (known := _ssh_config_box(given, names)) is not None:
        return known
    if (local := _local_box(given, names)) is not None:
        return local
    if _is_path(given):
        raise _no_path(given, names.cwd)
    if "@" not in given and (kept := names.kept(given)) is not None:
        return kept
    if re.search(r"\s", given):
        return _line_box(_without_ssh(given, names), names)
    return _address_box(given, names)


FORMS = (
    "a target is a box of boxtop.toml, a host of ~/.ssh/config, user@host:port, a whole ssh line "
    "in quotes, a directory, a recording.jsonl, or the name or PROVIDER:ID of a rented instance"
)


def configured_box(name: str, names: Names) -> Box:
    """Return a box of boxtop.toml. Raises UserError when nothing says how to reach it."""
    section = names.settings.box[name]
    place = f"{one_line(names.places[name])}: " if name in names.places else ""
    if section.path is not None:
        box = _local_box(section.path, names)
        if box is None or box.run is not None:
            raise UserError(
                f"{place}box.{name}.path: no such directory: {one_line(section.path)}",
                "correct the path in boxtop.toml",
            )
        return replace(
            box, name=name, console=section.console, price_per_hour=section.price_per_hour
        )
    instance = instance_name(section.instance)
    if section.ssh is not None:
        from tui.targets.ssh_line import parse_ssh_line

        target = parse_ssh_line(section.ssh)
    elif instance is not None:
        box = rented_box(instance, default_roots(names.settings, section))
        box = replace(
            box, name=name, console=section.console, price_per_hour=section.price_per_hour
        )
        return with_provider(box, names.settings, place)
    elif names.ssh_hosts().knows(name):
        target = SshTarget(name)
    else:
        raise UserError(
            f"{place}box.{name} says neither ssh nor path, and ~/.ssh/config has no host {name}",
            f'write in [box.{name}]: ssh = "root@203.0.113.7 -p 41022"',
        )
    return Box(
        name=name,
        text=section.ssh or name,
        target=target,
        roots=default_roots(names.settings, section),
        console=section.console,
        price_per_hour=section.price_per_hour,
        instance=instance,
    )


def default_roots(settings: Settings, section: BoxSettings | None = None) -> tuple[str, ...]:
    """Return where runs are searched on a box: its own roots, everyone's, and the home's runs."""
    own = section.runs if section is not None else ()
    return tuple(dict.fromkeys((*own, *settings.watch.runs, HOME_RUNS)))


def _line_box(text: str, names: Names) -> Box:
    from tui.targets.ssh_line import parse_ssh_line

    return _ssh_box(text, parse_ssh_line(text), names)


def _without_ssh(text: str, names: Names) -> str:
    """Return a line that lacks the word ssh alone. Raises UnknownTarget for any other text."""
    word = text.split(maxsplit=1)[0]
    if word.startswith("-") or "@" in word or _is_address(word) or names.ssh_hosts().knows(word):
        return text
    raise UnknownTarget(
        f"{one_line(text, 80)!r} is no ssh line and no path",
        "an ssh line begins with the word ssh: 'ssh -p 41022 root@203.0.113.7'",
    )


def _ssh_box(
    text: str,
    target: SshTarget,
    names: Names,
    roots: Sequence[str] = (),
    run: str | None = None,
) -> Box:
    return Box(
        name=target.place,
        text=one_line(text),
        target=target,
        roots=tuple(roots) or default_roots(names.settings),
        run=run,
        mirror=target.address,
    )


def _url_box(text: str, names: Names) -> Box:
    user, host, port, path = split_url(text)
    root, _, run = (path or "").rpartition(":")
    target = SshTarget(host, user, port)
    if path is None or not root:
        return _ssh_box(text, target, names, (checked_path(path),) if path else ())
    return _ssh_box(text, target, names, (checked_path(root),), _run_id(run, text))


def _ssh_config_box(text: str, names: Names) -> Box | None:
    host, colon, run = text.partition(":")
    if not re.fullmatch(r"\w[\w.+-]*", host) or not names.ssh_hosts().knows(host):
        return None
    return _ssh_box(text, SshTarget(host), names, run=_run_id(run, text) if colon else None)


def _address_box(text: str, names: Names) -> Box:
    """Read ``[user@]host[:port][:run]``, ``[user@]host:/root`` or ``[user@]host:port/root``."""
    before = text.split("[", 1)[0].split(":", 1)[0]
    login, at, _ = before.rpartition("@")
    address = text[len(login) + len(at) :]
    user = checked_user(login) if at else None
    bracketed = re.fullmatch(r"(\[[^\]]*\])(?::(.*))?", address, re.DOTALL)
    if bracketed is not None:
        host, rest = bracketed[1], bracketed[2] or ""
    elif is_ipv6(address):
        host, rest = address, ""
    else:
        host, _, rest = address.partition(":")
    if not at and not _is_address(host):
        raise _unknown(text, host, names)
    port = None
    if (number := re.match(r"([0-9]+)(?=[:/]|$):?", rest)) is not None:
        port, rest = checked_port(number[1]), rest[number.end() :]
    target = SshTarget(checked_host(host), user, port)
    if rest.startswith(("/", "~/")):
        return _ssh_box(text, target, names, (checked_path(rest).rstrip("/") or "/",))
    return _ssh_box(text, target, names, run=_run_id(rest, text) if rest else None)


def _is_address(host: str) -> bool:
    """Whether a word without a user is meant as a host: it has a dot, or is an IPv6 address."""
    if host.endswith(_FILE_SUFFIXES):
        return False
    return host == "localhost" or "." in host.strip(".") or ":" in host


def _is_path(text: str) -> bool:
    """Whether a text can only be meant as a path of this machine."""
    return text.startswith(("/", "./", "../", "~")) or text in (".", "..")


def _local_box(text: str, names: Names) -> Box | None:
    """Return the box of an existing path, or of the longest existing part before ``:RUN``."""
    path = _existing(text, names.cwd)
    if path is not None:
        return _path_box(text, path, None)
    at = text.rfind(":")
    while at > 0:
        path = _existing(text[:at], names.cwd)
        if path is not None:
            return _path_box(text, path, _run_id(text[at + 1 :], text))
        at = text.rfind(":", 0, at)
    return None


def _existing(text: str, cwd: Path) -> Path | None:
    try:
        path = Path(os.path.normpath(cwd / Path(text).expanduser()))
        return path if path.exists() else None
    except (OSError, RuntimeError, ValueError):
        return None


def _path_box(text: str, path: Path, run: str | None) -> Box:
    if path.name in _RUN_FILES and path.is_file():
        path = path.parent
    elif path.is_file():
        return _recording_box(text, path)
    elif not path.is_dir():
        raise UserError(f"{one_line(str(path))} is neither a directory nor a recording", FORMS)
    name = one_line(path.name, 64) or "local"
    return Box(name, one_line(text), LocalTarget(path), roots=(str(path),), run=run)


def _recording_box(text: str, path: Path) -> Box:
    if path.suffix != ".jsonl":
        raise UserError(
            f"{one_line(str(path))} is a file, but no recording (recording.jsonl, timeline.jsonl)",
            "name the run's directory, or a directory above it",
        )
    plain = path.stem in ("recording", "timeline")
    name = one_line(path.parent.name if plain else path.stem, 64) or "recording"
    return Box(name, one_line(text), RecordingTarget(path), roots=(str(path.parent),))


def _run_id(run: str, text: str) -> str:
    cleaned = run.rstrip("/")  # a whole path begins with its slash
    if not cleaned:
        raise UserError(
            f"{one_line(text, 120)!r} names no run", "write TARGET:RUN, or TARGET for all"
        )
    return cleaned


def _no_path(text: str, cwd: Path) -> UserError:
    looked = one_line(os.path.normpath(cwd / text))
    where = f"looked for {looked}; " if looked != one_line(text) and text[0] != "~" else ""
    elsewhere = "correct the path; of another machine it is root@203.0.113.7:/data/runs"
    return UserError(f"no such directory: {one_line(text)}", f"{where}{elsewhere}")


def _unknown(text: str, host: str, names: Names) -> UnknownTarget:
    shown = one_line(host or text, 80)
    near = closest(host, [*names.settings.box, *names.ssh_hosts().names])
    guess = f"did you mean {near}? " if near else ""
    plain = re.fullmatch(r"[\w.-]+", shown) is not None
    hint = f"to reach a host of that name write ssh://{shown}" if plain else FORMS
    if host in PROVIDERS:  # one that is enabled would have been asked
        hint = f"for an instance of {host} add [providers.{host}] to boxtop.toml"
    return UnknownTarget(
        f"{shown!r} is no box of boxtop.toml, no host of ~/.ssh/config and no directory here",
        guess + hint,
    )
