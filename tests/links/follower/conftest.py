"""Boxes of every kind, a root for runs, and processes that stand for trainings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.links.boxes import Kind, make_kind
from tests.links.follower.trainings import Trainings


@pytest.fixture(params=["python", "dash"])
def kind(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Kind:
    return make_kind(request.param, tmp_path_factory.mktemp("box"))


@pytest.fixture(params=["python", "dash", "busybox", "fewest"])
def any_kind(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Kind:
    return make_kind(request.param, tmp_path_factory.mktemp("box"))


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    directory = tmp_path / "root" / "runs"
    directory.mkdir(parents=True)
    return directory


@pytest.fixture
def trainings() -> Iterator[Trainings]:
    made = Trainings()
    yield made
    made.end()
