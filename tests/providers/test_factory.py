from __future__ import annotations

import subprocess
import sys

import pytest

from tests.providers.build import StillClock
from tests.providers.fake_http import KEY
from tests.providers.fake_vast import FakeVast
from tui.config.settings import BoxSettings, ProviderSettings, Settings
from tui.providers.account import Accounts
from tui.providers.errors import ProviderError
from tui.providers.factory import providers_of


def test_what_is_enabled_is_made_and_the_rest_says_why(fake_vast: FakeVast) -> None:
    settings = Settings(
        providers={
            "vast": ProviderSettings(key=KEY),
            "runpod": ProviderSettings(),
            "lambda": ProviderSettings(enabled=False),
            "modal": ProviderSettings(),
            "skypilot": ProviderSettings(),
        },
        box={"lab": BoxSettings(state="echo up"), "plain": BoxSettings(ssh="h")},
    )
    environment = {"HOME": "/nowhere", "BOXTOP_VAST_URL": fake_vast.url}
    made = providers_of(settings, environment)
    assert [one.name for one in made.providers] == ["vast", "skypilot", "command"]
    assert {name: error.kind for name, error in made.problems.items()} == {
        "runpod": "no_key",
        "modal": "unsupported",
    }
    assert [one.name for one in made.enabled] == ["vast", "skypilot", "command", "runpod", "modal"]
    with pytest.raises(ProviderError, match="there is no key for runpod"):
        made.enabled[3].list()
    accounts = Accounts([made.providers[0], made.providers[2]], StillClock())
    assert [one.instance.id for one in accounts.refresh().seen] == ["700001", "lab"]
    accounts.close()


def test_nothing_configured_makes_nothing() -> None:
    assert providers_of(Settings(), {"VAST_API_KEY": KEY}).providers == ()


def test_a_bad_address_is_that_providers_problem() -> None:
    settings = Settings(providers={"vast": ProviderSettings(key=KEY)})
    made = providers_of(settings, {"BOXTOP_VAST_URL": "http://203.0.113.7"})
    assert made.providers == () and made.problems["vast"].kind == "usage"


def test_no_vendors_package_and_no_http_before_it_is_needed() -> None:
    code = (
        "import sys, tui.providers.factory, tui.providers.account\n"
        "print([m for m in ('httpx2', 'vastai', 'runpod', 'sky', 'textual') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert found.stdout.strip() == "[]", found.stderr
