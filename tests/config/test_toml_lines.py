"""The line of every key, in every way that TOML has of writing one."""

from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from tui.config.toml_lines import TomlLines

DOCUMENT = """\
# a comment with [brackets] and = signs
top.dotted = 1
[plain]
text = "a # no comment \\" [x]"  # a comment
'quoted key' = '''
[not.a.table]
'''
list = [
  1, # one
  { inner = "}" , other = [2,
     3] },
]
after = 2026-11-30 02:00:00
["with space".more]
multi = \"\"\"
a = 1 \\\"""
\"\"\"
last = true
"""


def test_keys_stand_where_they_are_written() -> None:
    lines = TomlLines(DOCUMENT)
    assert tomllib.loads(DOCUMENT)
    assert {".".join(path): line for path, line in lines.lines.items()} == {
        "top": 2,
        "top.dotted": 2,
        "plain": 3,
        "plain.text": 4,
        "plain.quoted key": 5,
        "plain.list": 8,
        "plain.list.inner": 10,
        "plain.list.other": 10,
        "plain.after": 13,
        "with space": 14,
        "with space.more": 14,
        "with space.more.multi": 15,
        "with space.more.last": 18,
    }
    assert lines.repeated is None


def test_an_unknown_key_has_the_line_of_its_table() -> None:
    assert TomlLines("\n\n[a]\n").of(("a", "b", "c")) == 3
    assert TomlLines("").of(("a",)) == 1


def test_a_repeated_key_is_told_with_both_lines() -> None:
    assert TomlLines("a = 1\n\na = 2\n").repeated == (("a",), 3, 1)
    assert TomlLines("[a]\n[b]\n[a]\n").repeated == (("a",), 3, 1)
    assert TomlLines("[[a]]\n[[a]]\n").repeated is None


def test_items_of_an_array_have_their_own_keys() -> None:
    assert TomlLines("x = [{a = 1}, {a = 2}]\n").repeated is None
    assert TomlLines("[[x]]\na = 1\n[x.y]\n[[x]]\na = 2\n[x.y]\n").repeated is None
    assert TomlLines("[[x]]\na = 1\na = 2\n").repeated == (("x", "a"), 3, 2)


@given(st.text(alphabet="[]{}=.\"'\\#,\n ab1", max_size=60))
def test_reading_ends_on_any_text(text: str) -> None:
    assert all(line >= 1 for line in TomlLines(text).lines.values())


@given(
    st.recursive(
        st.text(alphabet="ab\"'\\\n#[]{}=", max_size=8) | st.integers() | st.booleans(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.text(alphabet="xyz.\"' ", min_size=1, max_size=3), inner, max_size=3
            )
        ),
        max_leaves=12,
    ).filter(lambda value: isinstance(value, dict))
)
def test_every_key_of_a_valid_document_is_found(document: dict[str, object]) -> None:
    text = _written(document)
    assert tomllib.loads(text) == document
    lines = TomlLines(text)
    assert lines.repeated is None
    for number, key in enumerate(document, start=1):
        assert text.splitlines()[lines.lines[(key,)] - 1].startswith(_string(key)), number


def _written(document: dict[str, object]) -> str:
    return "".join(f"{_string(key)} = {_value(value)}\n" for key, value in document.items())


def _value(value: object) -> str:
    if isinstance(value, dict):
        pairs = ", ".join(f"{_string(key)} = {_value(inner)}" for key, inner in value.items())
        return "{" + pairs + "}"
    if isinstance(value, list):
        return "[\n" + ",\n".join(map(_value, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _string(value) if isinstance(value, str) else str(value)


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
