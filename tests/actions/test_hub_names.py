"""Destinations: what the Hub takes, and templates filled with names that it would not take."""

from __future__ import annotations

import pytest
from huggingface_hub.utils import validate_repo_id
from hypothesis import given
from hypothesis import strategies as st

from tui.actions.hub_names import Destination, destination, filled, paths_in_repo, safe_name
from tui.errors import UserError


@pytest.mark.parametrize(
    ("text", "repo", "prefix"),
    [
        ("my-org/my-run", "my-org/my-run", ""),
        ("my-org/my-run/", "my-org/my-run", ""),
        ("my-org/my.run_2/exp/run12", "my-org/my.run_2", "exp/run12"),
        ("https://huggingface.co/my-org/my-run", "my-org/my-run", ""),
        ("hf://my-org/my-run", "my-org/my-run", ""),
        ("huggingface.co/my-org/my-run/", "my-org/my-run", ""),
        ("https://huggingface.co/my-org/my-run/tree/main", "my-org/my-run", ""),
        ("https://hf.co/my-org/my-run/tree/main/a/b", "my-org/my-run", "a/b"),
        ("my-org/my-run/tree/main", "my-org/my-run", "tree/main"),
    ],
)
def test_a_destination_is_a_repository_and_a_directory(text: str, repo: str, prefix: str) -> None:
    assert destination(text) == Destination(repo, prefix)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "my-run",
        "/my-run",
        "my-org/",
        "my-org/my--run",
        "https://huggingface.co/datasets/my-org/run",
        "https://huggingface.co/my-org/run/tree/v2",
        "https://example.org/my-org/run",
        "my-org/my..run",
        "my-org/-run",
        "my-org/run.",
        "my-org/run.git",
        "my org/run",
        "my-org/r\u00fcn",
        "my-org/" + "x" * 97,
        "my-org/run/../x",
        "my-org/run/a//b",
        "my-org/run/.git/x",
        "my-org/run/a\\b",
        "my-org/run/\x1b[2J",
    ],
)
def test_what_the_hub_does_not_take_is_a_mistake_that_shows_it(text: str) -> None:
    with pytest.raises(UserError) as caught:
        destination(text)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("my-org/{run}", "my-org/exp-run12"),
        ("my-org/{box}-{run}", "my-org/lab-exp-run12"),
        ("my-org/all/{run}", "my-org/all/exp/run12"),
        ("{box}/x/y-{run}", "lab/x/y-exp/run12"),
    ],
)
def test_a_template_is_filled(template: str, expected: str) -> None:
    assert str(filled(template, "exp/run12", "lab")) == expected


def test_an_unknown_place_is_a_mistake_with_the_nearest_word() -> None:
    with pytest.raises(UserError) as caught:
        filled("my-org/{runs}", "run", "box")
    assert caught.value.hint == "did you mean {run}?"


def test_names_that_lose_letters_stay_apart() -> None:
    names = {safe_name(name) for name in ("ru n", "ru?n", "ru-n", "r\u00fc n", "ru--n")}
    assert len(names) == 5
    assert safe_name("ru-n") == "ru-n"


@given(st.text(max_size=200), st.text(max_size=200))
def test_whatever_a_run_is_called_the_hub_takes_it(run: str, box: str) -> None:
    place = filled("my-org/{run}", run, box)
    validate_repo_id(place.repo)
    assert destination(str(place)) == place


def test_paths_are_below_the_prefix_and_never_elsewhere() -> None:
    place = Destination("my-org/x", "runs/a")
    assert paths_in_repo(place, ["weights/best.pt"]) == {
        "weights/best.pt": "runs/a/weights/best.pt"
    }
    assert paths_in_repo(Destination("my-org/x"), ["status.json"]) == {"status.json": "status.json"}
    for bad in ("../x", "/etc/passwd", "a/../b", ""):
        with pytest.raises(UserError):
            paths_in_repo(place, [bad])
