"""Where this machine keeps a vendor's API key: boxtop.toml, then where the vendor's tools look.

Vast: ``VAST_API_KEY``, ``vastai/vast_api_key`` in XDG_CONFIG_HOME or ``~/.config``,
``~/.vast_api_key`` (vastai ``_base.py``). RunPod: ``RUNPOD_API_KEY``, ``~/.runpod/config.toml``
(runpodctl and the Python package write different names). Lambda: ``LAMBDA_API_KEY``,
``~/.lambda_cloud/lambda_keys`` (SkyPilot's).
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tui.config.settings import ProviderSettings
from tui.providers.errors import ProviderError
from tui.text import one_line

MAX_KEY = 4096
MAX_FILE = 64 * 1024
PAGES = {
    "vast": "cloud.vast.ai/manage-keys",
    "runpod": "console.runpod.io/user/settings",
    "lambda": "cloud.lambda.ai/api-keys",
}
VARIABLES = {"vast": "VAST_API_KEY", "runpod": "RUNPOD_API_KEY", "lambda": "LAMBDA_API_KEY"}

Read = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Key:
    """A key and where it was found. Its text is in no ``repr`` and no message."""

    secret: str = field(repr=False)
    source: str
    """In words, for example ``VAST_API_KEY`` or ``~/.config/vastai/vast_api_key``."""
    warning: str | None = None
    """What is wrong with how it is kept, None when nothing is."""

    @property
    def mark(self) -> str:
        """Tells one key from another, and says nothing of it: what one lists is not another's."""
        return hashlib.sha256(self.secret.encode()).hexdigest()[:8]


def find_key(
    vendor: str,
    settings: ProviderSettings | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Key:
    """Return a vendor's key. Raises ProviderError ``no_key`` with the places looked at.

    What boxtop.toml says comes first, and alone: a wrong ``key_file`` is no reason to take another
    account's key.
    """
    if settings is not None and settings.key:
        return Key(_usable(settings.key.strip(), "boxtop.toml", vendor), "boxtop.toml")
    looked: list[str] = []
    if settings is not None and settings.key_file:
        path = Path(_expanded(settings.key_file, environment))
        found = _from_file(path, _reader(vendor, path), vendor, environment, looked)
        if found is None:
            raise _no_key(vendor, looked)
        return found
    variable = VARIABLES[vendor]
    secret = environment.get(variable, "").strip()
    if secret:
        return Key(_usable(secret, variable, vendor), variable)
    looked.append(f"{variable} (not set)")
    for path in usual_files(vendor, environment):
        found = _from_file(path, _reader(vendor, path), vendor, environment, looked)
        if found is not None:
            return found
    raise _no_key(vendor, looked)


def usual_files(vendor: str, environment: Mapping[str, str] = os.environ) -> tuple[Path, ...]:
    """Return the files in which a vendor's own tools keep the key, in their order."""
    home = Path(_home(environment))
    match vendor:
        case "vast":
            config = environment.get("XDG_CONFIG_HOME") or f"{home}/.config"
            return Path(config) / "vastai" / "vast_api_key", home / ".vast_api_key"
        case "runpod":
            return (home / ".runpod" / "config.toml",)
    return (home / ".lambda_cloud" / "lambda_keys",)


def _from_file(
    path: Path, read: Read, vendor: str, environment: Mapping[str, str], looked: list[str]
) -> Key | None:
    """Return the key of a file; None, with the reason in ``looked``, when it has none."""
    shown = _shown(path, environment)
    try:
        with path.open("rb") as file:
            text = file.read(MAX_FILE).decode("utf-8-sig")
        secret = read(text).strip()
    except FileNotFoundError:
        looked.append(f"{shown} (no such file)")
        return None
    except (OSError, UnicodeDecodeError):
        looked.append(f"{shown} (cannot be read)")
        return None
    if not secret:
        looked.append(f"{shown} (no key in it)")
        return None
    return Key(_usable(secret, shown, vendor), shown, _warning(path, shown))


def _reader(vendor: str, path: Path) -> Read:
    if vendor == "runpod" and path.suffix == ".toml":
        return _runpod_key
    if vendor == "lambda" and path.name == "lambda_keys":
        return _lambda_key
    return str


def _runpod_key(text: str) -> str:
    """Return ``apiKey`` (runpodctl, any case) or a profile's ``api_key`` (the Python package)."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return ""
    profiles: list[dict[str, Any]] = [document]
    default = document.get("default")
    if isinstance(default, dict):
        profiles.append(default)
    for profile in profiles:
        for name, value in profile.items():
            if name.lower() in ("apikey", "api_key") and isinstance(value, str) and value.strip():
                return value
    return ""


def _lambda_key(text: str) -> str:
    found = re.search(r"^\s*api_key\s*[=:]\s*[\"']?([^\s\"'#]+)", text, re.MULTILINE)
    return found[1] if found else ""


def _no_key(vendor: str, looked: list[str]) -> ProviderError:
    return ProviderError(
        "no_key",
        f"there is no key for {vendor} here; looked at " + ", ".join(looked),
        f"make one at {PAGES[vendor]} and set {VARIABLES[vendor]}, or key_file in boxtop.toml",
    )


def _usable(secret: str, source: str, vendor: str) -> str:
    """Return a key that can be a header's value; ProviderError for what cannot be one."""
    if len(secret) <= MAX_KEY and secret.isascii() and secret.isprintable() and " " not in secret:
        return secret
    message = f"what {source} holds is no key for {vendor}"
    raise ProviderError("bad_key", message, "put one key there, on one line")


def _warning(path: Path, shown: str) -> str | None:
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return None
    if mode & 0o077:
        return f"{shown} can be read by others (mode {mode:04o}): chmod 600 {shown}"
    return None


def _home(environment: Mapping[str, str]) -> str:
    return environment.get("HOME") or str(Path.home())


def _expanded(path: str, environment: Mapping[str, str]) -> str:
    return _home(environment) + path[1:] if path == "~" or path.startswith("~/") else path


def _shown(path: Path, environment: Mapping[str, str]) -> str:
    text, home = str(path), _home(environment)
    return one_line(f"~{text[len(home) :]}" if text.startswith(f"{home}/") else text, 200)
