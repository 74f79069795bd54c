"""The last list of an account, as it is kept and read back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.providers.build import StillClock
from tests.providers.fake_lambda import row as lambda_row
from tests.providers.fake_runpod import pod
from tests.providers.fake_vast import STOPPED, row
from tui.providers import lambda_, runpod_rows, vast_rows
from tui.providers.account import Earlier, ProviderView, Seen
from tui.providers.base import Instance
from tui.providers.keys import Key
from tui.rented.listings import FOLDER, Listings


def listed(*instances: Instance | None, at: float = 1000.0) -> ProviderView:
    seen = tuple(Seen(one) for one in instances if one is not None)
    return ProviderView(seen[0].instance.provider, seen, listed_at=at)


@pytest.mark.parametrize(
    "view",
    [
        listed(vast_rows.instance_of(row()), vast_rows.instance_of(row(id=2, **STOPPED))),
        listed(runpod_rows.instance_of(pod())),
        listed(lambda_.instance_of(lambda_row())),
    ],
)
def test_what_is_read_back_is_what_was_told(tmp_path: Path, view: ProviderView) -> None:
    clock = StillClock()
    clock.now += 30.0
    Listings(tmp_path, clock).keep(view)
    told = Listings(tmp_path).earlier(view.provider)
    assert told == Earlier(clock.wall() - 30.0, view.seen)
    (file,) = (tmp_path / FOLDER).iterdir()
    assert file.stat().st_mode & 0o077 == 0


def test_a_list_that_says_nothing_new_is_written_once_a_minute(tmp_path: Path) -> None:
    listings = Listings(tmp_path, StillClock())
    view = listed(vast_rows.instance_of(row()))
    for seconds, written in [(0.0, True), (20.0, False), (59.0, False), (61.0, True)]:
        (tmp_path / FOLDER / "vast.json").unlink(missing_ok=True)
        listings.keep(replace(view, listed_at=1000.0 + seconds))
        assert (listings.earlier("vast") is not None) == written
    (tmp_path / FOLDER / "vast.json").unlink(missing_ok=True)
    listings.keep(listed(vast_rows.instance_of(row(**STOPPED)), at=1062.0))
    assert listings.earlier("vast") is not None, "what changed is written at once"


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\xff", b'{"at": "x"}', b'{"at": 1, "seen": [{}]}', b"null"]
)
def test_what_is_no_list_tells_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "vast.json").write_bytes(content)
    assert Listings(tmp_path).earlier("vast") is None
    assert Listings(tmp_path).earlier("runpod") is None


def test_what_never_came_is_not_kept(tmp_path: Path) -> None:
    Listings(tmp_path).keep(ProviderView("vast"))
    assert not (tmp_path / FOLDER).exists()


def test_whose_list_it_is_is_kept_and_its_key_is_not(tmp_path: Path) -> None:
    key = Key("secret-0123456789", "the test")
    view = replace(listed(vast_rows.instance_of(row())), owner=key.mark)
    Listings(tmp_path, StillClock()).keep(view)
    told = Listings(tmp_path).earlier("vast")
    assert told is not None and told.owner == key.mark
    assert Key("secret-0123456780", "the test").mark != key.mark
    written = (tmp_path / FOLDER / "vast.json").read_text()
    assert key.mark in written and "secret" not in written


def test_a_list_holds_nothing_of_another_provider(tmp_path: Path) -> None:
    both = listed(vast_rows.instance_of(row()), runpod_rows.instance_of(pod()))
    Listings(tmp_path, StillClock()).keep(both)
    told = Listings(tmp_path).earlier("vast")
    assert told is not None and [one.instance.provider for one in told.seen] == ["vast"]
