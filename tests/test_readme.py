"""What README promises is so."""

from __future__ import annotations

import re
from pathlib import Path

from tui import __version__
from tui.cli.commands import VERBS, root
from tui.config.load import parse_configuration
from tui.keys import ACTIONS
from tui.runs.model import Verdict
from tui.text import clean

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return README.split(f"\n## {title}\n")[1].split("\n## ")[0]


def test_every_verb_and_no_other_is_in_the_table() -> None:
    named = re.findall(r"(?m)^\| `boxtop \[?(\w+)", section("Verbs"))
    assert tuple(named) == VERBS


def test_every_global_option_is_named() -> None:
    options = [option for parameter in root.params for option in parameter.opts]
    shown = section("Verbs")
    assert all(option in shown for option in options if option not in ("-V", "--version"))


def test_the_verdicts_are_those_of_the_program() -> None:
    from typing import get_args

    assert tuple(re.findall(r"(?m)^\| `(\w+)` \|", section("Verdicts"))) == get_args(Verdict)


def test_the_configuration_of_the_readme_is_right() -> None:
    boxes: set[str] = set()
    for text in re.findall(r"```toml\n(.*?)```", README, re.DOTALL):
        _, settings, _ = parse_configuration(text.encode(), "README.md")
        boxes |= set(settings.box)
    assert boxes == {"lab", "gpu1", "desk"}


def test_the_providers_of_the_readme_are_those_that_can_be_read() -> None:
    from tui.config.settings import PROVIDERS

    named = re.findall(r"(?m)^\| `(\w+)` \|", section("Providers"))
    assert set(named) == set(PROVIDERS) - {"modal"}


def test_the_keys_of_the_readme_exist() -> None:
    named = set(re.findall(r"`([^`\s]+)`", section("Keys"))) - {"reset"}
    known = {key for action in ACTIONS for key in action.keys}
    assert named <= known | {"esc"}


def test_pictures_and_the_purpose() -> None:
    purpose = README.split("```")[0].strip().splitlines()
    assert len([line for line in purpose if line]) == 6
    assert clean(README) == README
    assert __version__
