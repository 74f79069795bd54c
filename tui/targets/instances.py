"""Targets that name a rented instance: ``vast:12345678``; its provider tells how it is reached."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tui.boxes import Box, InstanceName, SshTarget
from tui.config.settings import Settings

_FORM = re.compile(r"([a-z]+):([A-Za-z0-9][\w.-]*)(?::(.*))?", re.DOTALL)


def instance_name(text: str | None) -> InstanceName | None:
    """Return ``provider:id`` in its parts, None for none."""
    return None if text is None else InstanceName(*text.split(":", 1))


def split_instance(text: str, settings: Settings) -> tuple[InstanceName, str | None] | None:
    """Return instance and run of ``PROVIDER:ID[:RUN]``, for a provider that is enabled."""
    found = _FORM.fullmatch(text)
    if found is None or not is_enabled(InstanceName(found[1], found[2]), settings):
        return None
    return InstanceName(found[1], found[2]), found[3]


def rented_box(instance: InstanceName, roots: Sequence[str], run: str | None = None) -> Box:
    """Return a box that has no address until its provider is asked."""
    text = str(instance)
    return Box(
        name=text,
        text=text,
        target=SshTarget(""),
        roots=tuple(roots),
        run=run,
        mirror=text,
        fault=_asked(instance),
        instance=instance,
        from_provider=True,
    )


def is_enabled(instance: InstanceName, settings: Settings) -> bool:
    """Whether boxtop.toml lets the instance's provider be asked."""
    section = settings.providers.get(instance.provider)
    return section is not None and section.enabled


def with_provider(box: Box, settings: Settings, place: str = "") -> Box:
    """Return a box, with a fault where boxtop.toml does not enable its provider.

    ``place`` is where it stands there.
    """
    assert box.instance is not None
    if is_enabled(box.instance, settings):
        return box
    section = f"[providers.{box.instance.provider}]"
    return replace(
        box,
        fault=f"{place}box.{box.name}.instance: {section} is not enabled, and it alone tells the "
        "address",
        hint=f"add {section} to boxtop.toml, or an ssh line to [box.{box.name}]",
    )


def awaits_address(box: Box) -> bool:
    """Whether nothing is wrong with a box but that its provider was not asked yet."""
    return box.instance is not None and box.fault == _asked(box.instance)


def _asked(instance: InstanceName) -> str:
    return f"{instance.provider} is asked for its address"
