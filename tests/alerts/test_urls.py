"""The addresses of [alerts] urls: what each is, and that none of its secrets is shown."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from tests.config.test_load import settings_of, write
from tui.alerts.channels import channels_of
from tui.alerts.check import url_problem, url_warnings
from tui.alerts.urls import AddressError, address_of
from tui.config.load import load_configuration
from tui.config.show import settings_toml
from tui.errors import UserError


@pytest.mark.parametrize(
    ("text", "url", "topic"),
    [
        ("ntfy://My_Topic", "https://ntfy.sh/", "My_Topic"),
        ("ntfy://ntfy.sh/topic", "https://ntfy.sh/", "topic"),
        ("ntfy://192.168.1.5:8080/topic", "http://192.168.1.5:8080/", "topic"),
        ("ntfys://ntfy.example.org/topic/", "https://ntfy.example.org/", "topic"),
        ("ntfys://topic", "https://ntfy.sh/", "topic"),
        ("NTFY://[::1]:80/topic", "http://[::1]:80/", "topic"),
        ("https://example.org/hook?a=1", "https://example.org/hook?a=1", ""),
        ("https://example.org", "https://example.org/", ""),
        ("http://user:pass@example.org/x", "http://example.org/x", ""),
    ],
)
def test_an_address_says_where_to_post(text: str, url: str, topic: str) -> None:
    address = address_of(text)
    assert (address.url, address.topic) == (url, topic)


@pytest.mark.parametrize(
    ("text", "user", "password"),
    [
        ("ntfys://me:p%40ss@example.org/topic", "me", "p@ss"),
        ("ntfys://tk_abc@example.org/topic", "tk_abc", None),
        ("ntfys://:tk_abc@example.org/topic", "tk_abc", None),
        ("ntfy://tk_abc@topic", "tk_abc", None),
        ("https://me:secret@example.org/hook", "me", "secret"),
    ],
)
def test_credentials_are_taken_out_of_it(text: str, user: str, password: str | None) -> None:
    address = address_of(text)
    assert (address.user, address.password) == (user, password)
    assert "@" not in address.url and user not in address.name + repr(address)


@pytest.mark.parametrize(
    "text",
    [
        "ntfy://ntfy.example.org",
        "ntfy://host/a/b",
        "ntfy://host/top ic",
        "ntfy://h/" + "x" * 65,
        "https:///hook",
        "https://[::1",
        "https://host:99999/x",
        "ntfy://host/secret-topic?x=1",
    ],
)
def test_an_address_that_cannot_be_used_is_a_mistake_of_boxtop_toml(
    tmp_path: Path, text: str
) -> None:
    with pytest.raises(AddressError):
        address_of(text)
    assert url_problem(text)
    if " " in text:
        return
    with pytest.raises(UserError) as caught:
        settings_of(tmp_path, f"[alerts]\nurls = ['ntfy://topic', '{text}']\n")
    assert "boxtop.toml:2: alerts.urls: address 2 " in str(caught.value)
    assert "secret" not in str(caught.value)


def test_other_schemes_are_for_apprise_which_may_be_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tui.alerts.check.has_apprise", lambda: False)
    warnings = list(url_warnings(["slack://TokenA/TokenB/TokenC", "ntfy://topic"]))
    assert warnings == ["alerts.urls: slack:// needs apprise: pip install 'boxtop[notify]'"]


def test_a_password_in_the_clear_is_warned_of_but_not_to_this_machine() -> None:
    (warning,) = url_warnings(["ntfy://me:secret@example.org/t", "http://me:pw@127.0.0.1:1/x"])
    assert "example.org is sent in the clear" in warning and "secret" not in warning


def test_each_address_is_one_channel() -> None:
    names = [one.name for one in channels_of(["ntfy://a", "https://x.org/1", "ntfy://a"])]
    assert names == ["ntfy at ntfy.sh", "webhook at x.org"]


def test_a_webhook_is_a_secret_of_boxtop_toml(tmp_path: Path) -> None:
    path = write(tmp_path, "[alerts]\nurls = ['https://hooks.example.org/a/b?x=1']\n")
    path.chmod(0o644)
    configuration = load_configuration(path)
    assert "alerts.urls" in configuration.warnings[0] and "chmod 600" in configuration.warnings[0]
    shown = settings_toml(configuration.settings)
    assert "https://hooks.example.org/***" in shown and "a/b" not in shown
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
