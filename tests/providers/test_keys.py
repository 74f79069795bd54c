from __future__ import annotations

from pathlib import Path

import pytest

from tui.config.settings import ProviderSettings
from tui.providers.base import ProviderError
from tui.providers.here import own_instance
from tui.providers.keys import Key, find_key
from tui.providers.urls import base_url, checked_url


def write(path: Path, text: str, mode: int = 0o600) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def env(home: Path, **more: str) -> dict[str, str]:
    return {"HOME": str(home), **more}


def test_vast_is_looked_for_as_its_client_does(tmp_path: Path) -> None:
    write(tmp_path / ".vast_api_key", "legacy\n")
    assert find_key("vast", None, env(tmp_path)).secret == "legacy"
    write(tmp_path / ".config/vastai/vast_api_key", "file")
    assert find_key("vast", None, env(tmp_path)).source == "~/.config/vastai/vast_api_key"
    write(tmp_path / "xdg/vastai/vast_api_key", "xdg")
    found = find_key("vast", None, env(tmp_path, XDG_CONFIG_HOME=str(tmp_path / "xdg")))
    assert found.secret == "xdg"
    assert find_key("vast", None, env(tmp_path, VAST_API_KEY=" env ")).secret == "env"


@pytest.mark.parametrize(
    "text",
    [
        'apiKey = "rk"',
        "apikey = 'rk'",
        '[default]\napi_key = "rk"\n',
        'apiurl = "https://x"\nAPIKEY="rk"',
    ],
)
def test_runpod_tools_write_different_files(tmp_path: Path, text: str) -> None:
    write(tmp_path / ".runpod/config.toml", text)
    assert find_key("runpod", None, env(tmp_path)).secret == "rk"
    assert find_key("runpod", None, env(tmp_path, RUNPOD_API_KEY="e")).secret == "e"


def test_lambda_has_skypilots_file(tmp_path: Path) -> None:
    write(tmp_path / ".lambda_cloud/lambda_keys", "# x\napi_key = lk # mine\n")
    assert find_key("lambda", None, env(tmp_path)).secret == "lk"


def test_boxtop_toml_comes_first_and_alone(tmp_path: Path) -> None:
    told = write(tmp_path / "mine", "told\n")
    environment = env(tmp_path, VAST_API_KEY="env")
    assert find_key("vast", ProviderSettings(key="k"), environment).source == "boxtop.toml"
    by_file = ProviderSettings(key_file="~/mine")
    assert find_key("vast", by_file, environment) == Key("told", "~/mine")
    told.unlink()
    with pytest.raises(ProviderError, match=r"looked at ~/mine \(no such file\)"):
        find_key("vast", by_file, environment)


def test_no_key_says_where_was_looked(tmp_path: Path) -> None:
    write(tmp_path / ".vast_api_key", "\n")
    (tmp_path / ".config/vastai/vast_api_key").mkdir(parents=True)
    with pytest.raises(ProviderError) as caught:
        find_key("vast", None, env(tmp_path))
    assert caught.value.kind == "no_key" and "VAST_API_KEY" in (caught.value.hint or "")
    for place in ("VAST_API_KEY (not set)", "cannot be read", "~/.vast_api_key (no key in it)"):
        assert place in str(caught.value)


@pytest.mark.parametrize("secret", ["two words", "a\nb", "kéy", "x" * 5000, "a\x00b"])
def test_what_can_be_no_header_is_refused_without_being_shown(secret: str) -> None:
    with pytest.raises(ProviderError) as caught:
        find_key("vast", None, {"HOME": "/nowhere", "VAST_API_KEY": secret})
    assert caught.value.kind == "bad_key" and secret not in str(caught.value)


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o620, 0o604, 0o601])
def test_a_file_that_others_may_read_is_warned_of(tmp_path: Path, mode: int) -> None:
    write(tmp_path / ".vast_api_key", "k", mode)
    found = find_key("vast", None, env(tmp_path))
    assert "chmod 600 ~/.vast_api_key" in (found.warning or "")
    assert "secret" not in repr(found) and "'k'" not in repr(found)


def test_addresses_of_apis() -> None:
    assert base_url("vast", {}) == "https://console.vast.ai"
    assert base_url("vast", {"VAST_URL": "https://a.test/"}) == "https://a.test"
    both = {"VAST_URL": "https://a.test", "BOXTOP_VAST_URL": "http://127.0.0.1:9"}
    assert base_url("vast", both) == "http://127.0.0.1:9"
    assert base_url("runpod", {"BOXTOP_RUNPOD_URL": "http://[::1]:9"}) == "http://[::1]:9"
    assert base_url("lambda", {"BOXTOP_LAMBDA_URL": "http://localhost:1"}) == "http://localhost:1"


@pytest.mark.parametrize(
    "url",
    [
        "http://console.vast.ai",
        "http://127.0.0.1.evil.test",
        "http://evil.localhost",
        "http://localhost.evil.test",
        "http://user@127.0.0.1",
        "https://user:pw@x.test",
        "ftp://127.0.0.1",
        "127.0.0.1:80",
        "http://",
        "http://[::1",
        "http://127.0.0.1:99999",
        "http://0.0.0.0:1",
    ],
)
def test_a_key_is_not_sent_in_the_clear(url: str) -> None:
    with pytest.raises(ProviderError) as caught:
        checked_url(url, "BOXTOP_VAST_URL")
    assert caught.value.kind == "usage" and "pw" not in str(caught.value)


def test_a_root_has_no_query() -> None:
    with pytest.raises(ProviderError) as caught:
        base_url("vast", {"BOXTOP_VAST_URL": "https://x.test/?api_key=abcdefgh"})
    assert "abcdefgh" not in str(caught.value)


def test_a_box_knows_itself() -> None:
    assert own_instance({}) is None
    assert own_instance({"CONTAINER_ID": "x"}) is None
    assert own_instance({"RUNPOD_POD_ID": "abc"}) == ("runpod", "abc")
    assert own_instance({"VAST_CONTAINERLABEL": "C.7001"}) == ("vast", "7001")
    assert own_instance({"CONTAINER_ID": "7001", "CONTAINER_API_KEY": "k"}) == ("vast", "7001")
