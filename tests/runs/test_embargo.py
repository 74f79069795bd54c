"""Until when a repository is to be left alone, as it is remembered."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.runs.embargo import FOLDER, LONGEST_SECONDS, Embargo

NOW = 1796004000.0


def at(data: Path, now: float) -> Embargo:
    return Embargo(data, lambda: now)


def test_it_holds_for_its_repository_until_its_time(tmp_path: Path) -> None:
    at(tmp_path, NOW).keep("my-org/run1", NOW + 60)
    assert at(tmp_path, NOW + 59).until("my-org/run1") == NOW + 60
    assert at(tmp_path, NOW + 59).until("My-Org/Run1") == NOW + 60
    assert at(tmp_path, NOW + 60).until("my-org/run1") is None
    assert at(tmp_path, NOW).until("my-org/run2") is None


def test_the_last_word_counts(tmp_path: Path) -> None:
    embargo = at(tmp_path, NOW)
    embargo.keep("my-org/run1", NOW + 60)
    embargo.keep("my-org/run1", NOW + 5)
    assert embargo.until("my-org/run1") == NOW + 5


def test_no_time_beyond_a_day_is_believed(tmp_path: Path) -> None:
    at(tmp_path, NOW).keep("my-org/run1", NOW + 1e9)
    assert at(tmp_path, NOW).until("my-org/run1") == NOW + LONGEST_SECONDS
    assert at(tmp_path, NOW - 1e6).until("my-org/run1") is None  # the clock was wrong


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"repo":"a/b","until":"x"}'])
def test_a_damaged_file_says_nothing(tmp_path: Path, content: bytes) -> None:
    at(tmp_path, NOW).keep("my-org/run1", NOW + 60)
    (path,) = (tmp_path / FOLDER).iterdir()
    path.write_bytes(content)
    assert at(tmp_path, NOW).until("my-org/run1") is None
