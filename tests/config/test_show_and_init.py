"""The file that `config init` writes, and what `config show` lets be seen."""

from __future__ import annotations

import re
import stat
import tomllib
from pathlib import Path

import pytest

from tests.config.test_load import DESIGN_EXAMPLE, settings_of
from tui.config import Settings, config_path, data_directory, load_configuration
from tui.config.load import parse_configuration
from tui.config.sample import SAMPLE, write_sample
from tui.config.show import duration_text, settings_toml, shown_settings
from tui.errors import UserError


def test_the_sample_changes_nothing_and_every_line_of_it_works(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "boxtop.toml"
    write_sample(path)
    assert load_configuration(path, must_exist=True).settings == Settings()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    working = re.sub(r"(?m)^# (?=\[|\w+ = )", "", SAMPLE)
    document, settings, _ = parse_configuration(working.encode(), "sample")
    assert set(document) == set(Settings.__struct_fields__)
    assert settings.box["lab"].price_per_hour == 3.4828
    assert max(map(len, SAMPLE.splitlines())) <= 100


def test_an_existing_file_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "boxtop.toml"
    path.write_text("mine")
    with pytest.raises(UserError, match="exists and stays as it is"):
        write_sample(path)
    assert path.read_text() == "mine"


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="file"):
        write_sample(tmp_path / "file" / "boxtop.toml")


def test_what_is_shown_is_what_was_read(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, DESIGN_EXAMPLE)
    again = parse_configuration(settings_toml(settings).encode(), "shown")[1]
    assert again == settings


def test_secrets_are_not_shown(tmp_path: Path) -> None:
    text = """\
[providers.vast]
key = "vast-secret"
[alerts]
urls = ["ntfy://topic", "mailto://me:secret@example.org", "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ"]
[box.lab]
ssh = "root@203.0.113.7"
stop = "vastai stop instance 1234567890123456789012345"
"""
    shown = settings_toml(settings_of(tmp_path, text))
    assert not re.search("vast-secret|me:secret|TIiajk", shown)
    assert "ntfy://topic" in shown
    assert "vastai stop instance 1234567890123456789012345" in shown
    assert tomllib.loads(shown)["providers"]["vast"]["key"] == "***"


def test_unset_values_are_null_in_json() -> None:
    shown = shown_settings(Settings())
    assert shown["hub"] == {
        "to": None,
        "via": "box",
        "private": True,
        "auto": {"best_every": None, "every_epochs": None, "on_end": False},
    }


@pytest.mark.parametrize(
    ("seconds", "text"), [(300, "5m"), (90, "90s"), (7200, "2h"), (86400, "1d"), (5400, "90m")]
)
def test_times_are_written_as_they_are_read(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


def test_paths_are_those_of_the_platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import platformdirs

    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(variable, raising=False)
        assert config_path()[0] == platformdirs.user_config_path("boxtop") / "boxtop.toml"
        assert data_directory() == platformdirs.user_data_path("boxtop")
        monkeypatch.setenv(variable, str(tmp_path / variable))
    assert config_path()[0] == platformdirs.user_config_path("boxtop") / "boxtop.toml"
    assert data_directory() == platformdirs.user_data_path("boxtop")


def test_a_named_path_wins_over_the_variable_and_the_variable_over_the_platform() -> None:
    env = {"BOXTOP_CONFIG": "/v/boxtop.toml", "BOXTOP_DATA_DIR": "/v/data", "HOME": "/h"}
    assert config_path("/o/b.toml", env) == (Path("/o/b.toml"), True)
    assert config_path(None, env) == (Path("/v/boxtop.toml"), True)
    assert config_path(None, {"HOME": "/h"}) == (Path("/h/.config/boxtop/boxtop.toml"), False)
    assert data_directory("/o", env) == Path("/o")
    assert data_directory(None, env) == Path("/v/data")
    assert data_directory(None, {"HOME": "/h"}) == Path("/h/.local/share/boxtop")
