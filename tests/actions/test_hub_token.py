"""The token of this machine: found where the client finds it, named in words, never shown."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tui.actions.hub_problem import HubError
from tui.actions.hub_token import find_token

SECRET = "hf_" + "Q" * 34


def put(path: Path, text: str = SECRET, mode: int = 0o600) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def client_finds() -> str | None:
    """Return what the real client finds in this environment."""
    code = "import huggingface_hub; print(huggingface_hub.get_token() or '')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip() or None


@pytest.mark.parametrize(
    ("variables", "file", "source"),
    [
        ({"HF_TOKEN": f" {SECRET}\n"}, None, "HF_TOKEN"),
        ({"HUGGING_FACE_HUB_TOKEN": SECRET}, None, "HUGGING_FACE_HUB_TOKEN"),
        ({"HF_TOKEN": "", "HUGGING_FACE_HUB_TOKEN": SECRET}, None, "HUGGING_FACE_HUB_TOKEN"),
        ({}, ".cache/huggingface/token", "~/.cache/huggingface/token"),
        ({"HF_HOME": "~/hf"}, "hf/token", "~/hf/token"),
        ({"HF_HOME": "$HOME/hf"}, "hf/token", "~/hf/token"),
        ({"XDG_CACHE_HOME": "{home}/c"}, "c/huggingface/token", "~/c/huggingface/token"),
        ({"HF_TOKEN_PATH": "~/secret", "HF_HOME": "~/hf"}, "secret", "~/secret"),
    ],
)
def test_it_is_found_where_the_client_finds_it(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    file: str | None,
    source: str,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value.replace("{home}", str(home)))
    if file:
        put(home / file)
    found = find_token()
    assert (found.secret, found.source, found.warning) == (SECRET, source, None)
    assert client_finds() == SECRET
    assert "Q" not in repr(found)


def test_none_names_every_place_that_was_looked_at(home: Path) -> None:
    put(home / ".cache/huggingface/token", "\n")
    with pytest.raises(HubError) as caught:
        find_token()
    problem = caught.value.problem
    assert (problem.kind, problem.retryable) == ("no_token", False)
    assert problem.message == (
        "there is no Hugging Face token here; looked at HF_TOKEN (not set), "
        "HUGGING_FACE_HUB_TOKEN (not set), ~/.cache/huggingface/token (empty)"
    )
    assert client_finds() is None


def test_a_file_that_others_can_read_is_warned_of(home: Path) -> None:
    put(home / ".cache/huggingface/token", mode=0o644)
    warning = find_token().warning
    assert warning is not None
    assert "can be read by others (mode 0644)" in warning
    assert "Q" not in warning


@pytest.mark.parametrize("text", ["two words", "line\nline", "h\u00e4tokentoken", "x" * 5000, "e"])
def test_what_is_no_token_is_not_sent(text: str) -> None:
    with pytest.raises(HubError) as caught:
        find_token({**os.environ, "HF_TOKEN": text})
    assert caught.value.problem.message == "what HF_TOKEN holds is no token"


def test_only_a_regular_file_is_read(home: Path) -> None:
    path = home / ".cache/huggingface/token"
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    with pytest.raises(HubError, match="no regular file"):
        find_token()
    path.unlink()
    path.symlink_to("/dev/zero")
    with pytest.raises(HubError, match="no regular file"):
        find_token()
