"""Hostile text: what reaches a terminal, a dialog, a message or a shell."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runs.build import CASES
from tui.text import clean, one_line, quote, redact, said, said_path

HOSTILE = st.text(
    alphabet=st.one_of(
        st.sampled_from("\x1b[]P^_X;?0 1mH\\\x07\x08\n\r\t\x7f\x18\x1a\x9b\x9d\x9c\x90a"),
        st.characters(),
    ),
    max_size=60,
)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("plain", "plain"),
        ("tab\tand\nnewline stay", "tab\tand\nnewline stay"),
        ("\x1b[32mgreen\x1b[0m", "green"),
        ("\x1b[38;2;1;2;3mrgb", "rgb"),
        ("\x1b[?25lhide", "hide"),
        ("\x1b[2 qcursor", "cursor"),
        ("\x1b[3\x001m NUL within", " NUL within"),
        ("\x9b31mC1", "C1"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]0;title\x1b\\after", "after"),
        ("\x1b]52;c;cHduZWQ=\x9cafter", "after"),
        ("\x9d0;title\x9cafter", "after"),
        ("\x1b]0;never closed\nnext line", "\nnext line"),
        ("\x1b]0;cut off\x1b[31mred", "red"),
        ("\x1b]0;aborted\x18shown", "shown"),
        ("\x1bPq#0;2\x1b\\sixel", "sixel"),
        ("\x1bPq#0;2\x07 bell ends no DCS\x1b\\x", "x"),
        ("\x1b_apc\x1b\\a\x1b^pm\x1b\\b\x1bXsos\x1b\\c", "abc"),
        ("\x1b(Bcharset\x1b#8\x1bcreset", "charsetreset"),
        ("\x1b[31", ""),
        ("end \x1b", "end "),
        ("\x1b\x1b[0m[31m", "[31m"),
        ("bell\x07 back\x08space del\x7f", "bell backspace del"),
        ("one\r\ntwo", "one\ntwo"),
        ("bidi \u202eoverride\u202c \u2066isolate\u2069 \u200fmark", "bidi override isolate mark"),
        ("line\u2028separator", "line separator"),
        ("name \udcff of bytes", "name \ufffd of bytes"),
        ("emoji 👩\u200d🔬 café 日本語", "emoji 👩\u200d🔬 café 日本語"),
    ],
)
def test_clean_leaves_text_and_nothing_a_terminal_obeys(given: str, shown: str) -> None:
    assert clean(given) == shown


@given(HOSTILE)
def test_no_control_character_survives(text: str) -> None:
    shown = clean(text)
    assert not any((ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0 for c in shown)
    assert clean(shown) == shown
    shown.encode()


@given(HOSTILE)
def test_one_line_is_one_line_that_any_terminal_can_show(text: str) -> None:
    shown = one_line(text, 40)
    assert len(shown) <= 40
    assert all(character.isprintable() or character == " " for character in shown)
    shown.encode()


def test_one_line_shows_what_would_hide_or_reorder() -> None:
    assert one_line("new\nline\tand\rmore") == "new\\nline\\tand\\rmore"
    assert one_line("invoice\u202egnp.exe") == "invoice\\u202egnp.exe"
    assert one_line("a\u200bb") == "a\\u200bb"
    assert one_line("a\U000e0041b") == "a\\U000e0041b"
    assert one_line("\udcff") == "\ufffd"
    assert one_line("đường") == "đường"
    assert one_line("x" * 500) == "x" * 399 + "…"


def test_tokens_of_the_case_are_masked() -> None:
    shown = redact((CASES / "HF-10" / "log_lines.txt").read_text())
    assert "QQQQ" not in shown
    assert "0123456789abcdef0123" not in shown
    assert "hf_***" in shown
    assert "huggingface.co/x" in shown


@pytest.mark.parametrize(
    "line",
    [
        "hf_SECRETsecret123",
        "token hf_SECRETsecret123.",
        "HF_TOKEN=hf_SECRETsecret123 python train.py",
        r"401: b'no\nhf_SECRETsecret123'",
        "?auth%3Dhf_SECRETsecret123",
        "x_hf_SECRETsecret123",
        "yolo9hf_SECRETsecret",
        r"'\tsk-SECRETsecret123'",
        "x_ghp_SECRETsecret123",
        "%20AKIASECRETSECRET12",
        "Authorization: Bearer SECRETsecret123",
        "authorization: Basic U0VDUkVUc2VjcmV0SECRET",
        "{'Authorization': 'Token SECRETsecret123'}",
        '{"authorization": "Bearer SECRETsecret123"}',
        "https://user:SECRETsecret123@host/x",
        "https://SECRETsecret123@host/x.git",
        "GET /v2?api_key=SECRETsecret123&page=2",
        "x-api-key: SECRETsecret123",
        '"apiKey": "SECRETsecret123"',
        "VAST_API_KEY=SECRETsecret123",
        "RUNPOD_API_KEY=rpa_SECRETsecret123",
        "key rpa_SECRETsecret123",
        "--api-key SECRETsecret123",
        "password=SECRETsecret123",
        "WANDB_API_KEY: SECRETsecret123",
        "AWS AKIASECRETSECRET123",
        "ghp_SECRETsecret1234567890",
    ],
)
def test_a_secret_is_masked_wherever_it_stands(line: str) -> None:
    assert "SECRET" not in redact(line)
    assert "***" in redact(line)


@pytest.mark.parametrize(
    "line",
    [
        "from huggingface_hub import hf_hub_download",
        "hf_transfer and hf_xet are installed",
        "sha256 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "ssh://root@203.0.113.7:40022/root/runs",
        "monkey: banana split",
        "disk-usage-of-everything task-0123456789",
        "KeyError: 'train/loss'",
        "https://huggingface.co/my-org/run1",
        "ssh -p 41022 root@203.0.113.7",
    ],
)
def test_what_is_no_secret_stays(line: str) -> None:
    assert redact(line) == line


def test_a_token_torn_apart_by_escapes_is_masked() -> None:
    assert said("hf_\x1b[0mSECRETsecret") == "hf_***"


ODD_NAMES = [
    "run 1",
    "it's",
    'q"q',
    "$(touch pwned)",
    "`touch pwned2`",
    "-rf",
    "new\nline",
    "đường",
]
ODD_NAMES += ["a;b&c|d", "*?[x]", "~", "", "\\", "!x", "''", "$HOME"]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_quoted_path_is_one_word_for_a_shell(name: str) -> None:
    printed = subprocess.run(
        ["/bin/sh", "-c", f"printf %s {quote(name)}"], capture_output=True, check=True
    )
    assert printed.stdout.decode() == name


def test_of_a_long_path_its_end_is_shown() -> None:
    long = f"/workspace/{'a' * 300}/\x1b[31mrun12"
    assert said_path("/workspace/run12", 20) == "/workspace/run12"
    assert said_path(long, 20) == f"…{'a' * 13}/run12"
    assert said_path("x" * 9000).endswith("x…")


def test_a_path_with_a_nul_is_refused() -> None:
    with pytest.raises(ValueError, match="NUL"):
        quote("a\0b")
