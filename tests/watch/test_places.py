"""A mirror shows a target the runs below its own roots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.watch.scripted import BOX, Script, ScriptedLink
from tui.boxes import Box
from tui.facts import Fact, Hello, RunFound, Settled
from tui.links.asking import RefusingAsker
from tui.links.base import LinkError
from tui.runs.mirror import RunMeta
from tui.runs.mirrors import Mirrors
from tui.watch.look import look
from tui.watch.places import placed, told_places

GONE = LinkError("unreachable", "connection refused")


def meta(path: str, root: str) -> RunMeta:
    return RunMeta(path, path[len(root) :].strip("/"), root)


@pytest.mark.parametrize(
    ("roots", "path", "expected"),
    [
        (("/A",), "/A/run1", ("run1", "/A")),
        (("/A",), "/A", ("A", "/A")),
        (("/A",), "/AB/run1", None),
        (("/A",), "/B/run1", None),
        (("/A/exp",), "/A/exp/run1", ("run1", "/A/exp")),
        (("/",), "/A/run1", ("A/run1", "/")),
        (("/B", "/A/"), "/A/x/run1", ("x/run1", "/A")),
        (("~/runs",), "/home/ann/runs/run1", ("run1", "/home/ann/runs")),
        (("~/runs",), "/srv/runs/run1", None),
        (("~/told",), "/srv/ann/told/run1", ("run1", "/srv/ann/told")),
        (("~/told",), "/root/told/run1", None),
        ((), "/A/x/run1", ("x/run1", "/A")),
    ],
)
def test_a_run_is_placed_as_a_search_would_find_it(
    roots: tuple[str, ...], path: str, expected: tuple[str, str] | None
) -> None:
    found = placed(meta(path, "/A"), roots, {"~/told": "/srv/ann/told"})
    assert (found and (found.id, found.root)) == expected


def test_a_box_tells_where_the_home_is() -> None:
    asked = ("/root/runs", "~/runs")
    assert told_places(asked, ("/root/runs", "/srv/ann/runs")) == {"~/runs": "/srv/ann/runs"}
    assert told_places(asked, ("/root/runs",)) == {}


def seen(data: Path, box: Box, *steps: LinkError | tuple[Fact, ...]) -> list[str]:
    script = Script(*steps)

    def link_for(*_: object) -> ScriptedLink:
        return script.link()

    (view,) = look([box], RefusingAsker(), data, link_for=link_for)
    return [run.run.id for run in view.runs]


def answer(searched: Sequence[str], *paths: str) -> tuple[Fact, ...]:
    found = [RunFound(path, path.rsplit("/", 1)[1], path.rsplit("/", 1)[0]) for path in paths]
    return (Hello("python", 1000.0, searched=tuple(searched)), *found, Settled(1000.0))


def test_an_offline_box_shows_the_runs_of_its_own_roots_alone(tmp_path: Path) -> None:
    one, other = (replace(BOX, roots=(root,), mirror="ssh://root@h") for root in ("/A", "/B"))
    assert seen(tmp_path, one, answer(["/A"], "/A/run1")) == ["run1"]
    assert seen(tmp_path, other, GONE) == []
    assert seen(tmp_path, other, answer(["/B"], "/B/run2")) == ["run2"]
    assert seen(tmp_path, other, GONE) == ["run2"]
    assert seen(tmp_path, one, GONE) == ["run1"]
    whole = replace(BOX, roots=("/A", "/B"), mirror="ssh://root@h")
    assert sorted(seen(tmp_path, whole, GONE)) == ["run1", "run2"]


def test_a_home_elsewhere_is_remembered(tmp_path: Path) -> None:
    box = replace(BOX, roots=("~/runs",))
    seen(tmp_path, box, answer(["/srv/ann/runs"], "/srv/ann/runs/run1"))
    assert seen(tmp_path, box, GONE) == ["run1"]


def test_a_narrower_target_names_the_run_by_its_own_root(tmp_path: Path) -> None:
    wide, narrow = (replace(BOX, roots=(root,)) for root in ("/A", "/A/exp"))
    found = RunFound("/A/exp/run1", "exp/run1", "/A")
    facts: tuple[Fact, ...] = (Hello("python", 1000.0, searched=("/A",)), found, Settled(1000.0))
    assert seen(tmp_path, wide, facts) == ["exp/run1"]
    assert seen(tmp_path, narrow, GONE) == ["run1"]
    assert seen(tmp_path, narrow, answer(["/A/exp"], "/A/exp/run1")) == ["run1"]
    (mirror,) = Mirrors(tmp_path).known()
    assert len(list(mirror.runs())) == 1


def test_a_box_that_was_never_reached_leaves_no_mirror(tmp_path: Path) -> None:
    seen(tmp_path, BOX, GONE)
    assert list(Mirrors(tmp_path).known()) == []
