"""Hostile text made harmless: everything a box or an API says passes here before it is shown."""

from __future__ import annotations

import re
import unicodedata

_ESCAPES = re.compile(
    r"""
      (?:\x1b\[|\x9b) [\x00-\x09\x0b-\x17\x19\x1c-\x1f0-?]* [ -/]* [@-~]?         # CSI
    | (?:\x1b\]|\x9d) [^\x07\x18\x1a\x1b\x9c\n]* (?:\x07|\x1b\\|\x9c)?            # OSC
    | (?:\x1b[PX^_]|[\x90\x98\x9e\x9f]) [^\x18\x1a\x1b\x9c\n]* (?:\x1b\\|\x9c)?   # DCS SOS PM APC
    | \x1b [ -/]* [0-~]?                                                          # other escapes
    | [\x00-\x08\x0b-\x1f\x7f-\x9f]                                               # C0, DEL, C1
    """,
    re.VERBOSE,
)
"""Control sequences as a terminal would read them (ECMA-48). A sequence that is not finished ends
with its line, a string is aborted by CAN, SUB or the next escape. Every ESC and C1 character is
part of some match, so nothing can be put together from what is left."""

_SUSPECTS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_SURROGATES = re.compile("[\ud800-\udfff]")
_REORDERING = dict.fromkeys(
    [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF]
) | {0x2028: " ", 0x2029: " "}

_GITHUB_STARTS = ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_")
_OTHER_STARTS = ("hf_", "rpa_", "sk-", "glpat-", "akia", "xox")
_SECRET_WORDS = ("auth", "bearer", "token", "secret", "passw", "passphrase", "key", "://")
_SECRET_HINTS = (*_OTHER_STARTS, *_GITHUB_STARTS, *_SECRET_WORDS)
"""What every pattern below needs, in lower case: most lines hold none and cost next to nothing."""

_UNMASKED = r"(?!(?:hf_|rpa_)?\*\*\*(?:[\s\"',;&)}\]@]|$))"
"""Not what an earlier pattern has masked already."""

_EDGE = r"(?:(?<![A-Za-z0-9])|(?<=\\[abfnrtv])|(?<=%[0-9A-Fa-f]{2}))"
"""Where a token begins: also behind an escape that somebody has written out."""

_NO_NAME = r"(?!(?:hub|xet|transfer|token|home|api|endpoint)(?:_|\b))"
"""Names of Hugging Face's own packages and variables look like tokens and are none."""

_SECRETS: tuple[tuple[str, str], ...] = (
    (_EDGE + r"hf_" + _NO_NAME + r"[A-Za-z0-9]+", "hf_***"),
    (r"(hf_|rpa_)" + _NO_NAME + r"[A-Za-z0-9]{8,}", r"\1***"),
    (_EDGE + r"rpa_[A-Za-z0-9]+", "rpa_***"),
    (_EDGE + r"(gh[opusr]_|github_pat_|glpat-|sk-|xox[abprs]-)[A-Za-z0-9_-]{8,}", r"\1***"),
    (_EDGE + r"AKIA[0-9A-Z]{12,}", "AKIA***"),
    (
        r"(?i)(authorization[\"']?\s*[:=]\s*[\"']?(?:(?:bearer|basic|token|digest)\s+)?+)"
        + _UNMASKED
        + r"[^\s\"',;]+",
        r"\1***",
    ),
    (r"(?i)(\bbearer\s+)" + _UNMASKED + r"[^\s\"',;]+", r"\1***"),
    (r"(://[^\s/:@'\"]*:)" + _UNMASKED + r"[^\s/@'\"]+(?=@)", r"\1***"),
    (r"(?i)(\bhttps?://)" + _UNMASKED + r"[^\s/:@'\"]+(?=@)", r"\1***"),
    (
        r"(?i)((?:api[_-]?key|access[_-]?key|secret|token|passw(?:or)?d|passphrase|(?<=[_-])key)"
        r"[\"']?\s*[:=]\s*[\"']?|--(?:api-key|token|password)\s+)"
        + _UNMASKED
        + r"[^\s\"',;&)}\]]{6,}",
        r"\1***",
    ),
)
"""Patterns and their masks, compiled (and kept) by ``re`` when a line first needs them."""


LONGEST_PATH = 4096
"""What Linux takes as one path, in bytes."""


def clean(text: str) -> str:
    """Return text without C0 (but newline and tab), DEL, C1 and CSI/OSC/DCS sequences.

    Characters that reorder a line (bidirectional controls) go too, and what cannot be encoded
    (lone surrogates of undecodable names) becomes U+FFFD. Everything else stays as it is.
    """
    if _SUSPECTS.search(text) is None:
        return text
    text = _ESCAPES.sub("", text).translate(_REORDERING)
    return _SURROGATES.sub("\ufffd", text)


def one_line(text: str, limit: int = 400) -> str:
    """Return clean text on one line: newlines and tabs shown escaped, cut at ``limit``.

    Invisible characters (zero-width, bidirectional, private) are shown as ``\\u202e``: two names
    that differ look different, and neither can reorder the words around it.
    """
    text = _ESCAPES.sub("", text[: limit * 8].replace("\r", "\\r"))
    if not text.isprintable():
        text = "".join(map(_shown, text))
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    match unicodedata.category(character):
        case "Zs":
            return " "
        case "Cs":
            return "\ufffd"
    named = {"\n": "\\n", "\t": "\\t"}
    code = ord(character)
    return named.get(character) or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def redact(text: str) -> str:
    """Return text without tokens: ``hf_***``, API keys and Authorization values masked."""
    lowered = text.lower()
    if not any(hint in lowered for hint in _SECRET_HINTS):
        return text
    for pattern, mask in _SECRETS:
        text = re.sub(pattern, mask, text)
    return text


def said(text: str, limit: int = 400) -> str:
    """Return what a box or an API said, fit for a message: on one line, without tokens."""
    return redact(one_line(text, limit))


def said_path(path: str, limit: int = 400) -> str:
    """Return a path as ``said`` does; of a longer one its end, which tells it from others."""
    whole = said(path, LONGEST_PATH)
    return whole if len(whole) <= limit else f"…{whole[1 - limit :]}"


def quote(path: str) -> str:
    """Return ``path`` as one word for a POSIX shell, whatever it holds.

    Raises ValueError for a NUL, which no path can hold. A leading dash is the caller's to fence
    off with ``--``.
    """
    if "\0" in path:
        raise ValueError("a path cannot hold a NUL character")
    return "'" + path.replace("'", "'\\''") + "'"
