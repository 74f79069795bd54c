"""One table of keys: no conflicts, short footers, rebinding with errors that name the culprit."""

from __future__ import annotations

import pytest

from tui import keys
from tui.keys import ACTIONS, PLACES, KeyMap, Place, bind
from tui.screens.fleet import FleetScreen
from tui.screens.run import RunScreen


def test_no_two_actions_share_a_key_in_one_place() -> None:
    for place in PLACES:
        taken: dict[str, str] = {}
        for action in KeyMap().at(place):
            for key in action.keys:
                assert taken.setdefault(key, action.id) == action.id, (place, key)


def test_every_action_is_done_by_a_screen_that_has_its_places() -> None:
    for action in ACTIONS:
        name = f"do_{action.id}"
        assert hasattr(FleetScreen, name) or hasattr(RunScreen, name), action.id
        if "runs" in action.places:
            assert hasattr(FleetScreen, name), action.id


@pytest.mark.parametrize("place", PLACES)
def test_a_footer_has_at_most_seven_entries_and_fits_eighty_columns(place: Place) -> None:
    entries = KeyMap().footer(place)
    assert 1 < len(entries) <= 7
    width = sum(len(keys.shown(a.key)) + 1 + len(a.label) + 2 for a in entries)
    assert width <= 79
    assert entries[-1].id == "help"


def test_escape_goes_back_and_nothing_else_quits() -> None:
    keymap = KeyMap()
    for place in PLACES:
        found = keymap.find("escape", place)
        assert found is not None and found.id == "back"
        assert [a.id for a in keymap.at(place) if "q" in a.keys] == ["quit"]


def test_capitals_are_named_as_terminals_send_them() -> None:
    assert not any(key.startswith("shift+") and len(key) == 7 for a in ACTIONS for key in a.keys)


def test_no_key_is_one_that_never_arrives() -> None:
    eaten = {f"ctrl+{letter}" for letter in "hijmabsqz["}
    assert not any(key in eaten or key.startswith("alt+") for a in ACTIONS for key in a.keys)


def test_a_key_of_ones_own_takes_the_place_of_the_default() -> None:
    keymap, errors = bind({"sort": "o", "other_log": "u"})
    assert not errors
    assert [a.id for a in keymap.at("runs") if "o" in a.keys] == ["sort"]
    assert keymap.find("s", "runs") is None
    found = keymap.find("u", "log")
    assert found is not None and found.id == "other_log"


def test_arrows_go_on_working_when_letters_are_rebound() -> None:
    keymap, errors = bind({"down": "e"})
    assert not errors
    assert {key for key in ("e", "down") if keymap.find(key, "runs")} == {"e", "down"}


@pytest.mark.parametrize(
    ("mapping", "error"),
    [
        ({"folow": "F"}, "keys.folow: no such action; did you mean follow?"),
        ({"follow": "p"}, "keys.follow: p is already the key of pause"),
        ({"pause": "shift+d"}, "keys.pause: write D instead of shift+d: terminals send that"),
        (
            {"pause": "ctrl+s"},
            "keys.pause: ctrl+s does not arrive: terminals or tmux keep it for themselves",
        ),
        (
            {"pause": "hyper"},
            "keys.pause: 'hyper' is no key; write one character, ctrl+x, f1 to f12 or enter",
        ),
    ],
)
def test_a_mistake_is_named_and_the_default_stays(mapping: dict[str, str], error: str) -> None:
    keymap, errors = bind(mapping)
    assert errors == (error,)
    for action in ACTIONS:
        assert keymap[action.id].keys == action.keys


def test_two_actions_cannot_be_bound_to_one_key() -> None:
    _, errors = bind({"sort": "u", "pause": "u"})
    assert len(errors) == 1
    assert "u is already the key of" in errors[0]


def test_swapping_two_keys_is_no_conflict() -> None:
    keymap, errors = bind({"sort": "p", "pause": "s"})
    assert not errors
    found = keymap.find("p", "runs")
    assert found is not None and found.id == "sort"
