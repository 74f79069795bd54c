"""Whatever happens on a box, in any order: nothing unsaved is destroyed, and nothing twice."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.finish.world import STATES, TIMING, Training, World, a_setting
from tui.actions.finish_line import Act
from tui.actions.finish_wish import Setting, Wish
from tui.rent import RentView

ENDED = ("completed", "unseen", "failed", "dead", "stopped", "diverged")

RUN = st.integers(0, 2)
EVENT = st.one_of(
    st.tuples(st.just("state"), RUN, st.sampled_from([*STATES, "completed", "completed"])),
    st.tuples(st.just("write"), RUN, st.just("")),
    st.tuples(st.just("start"), st.just(0), st.sampled_from(["running", "completed", "failed"])),
    st.tuples(st.just("delete"), RUN, st.just("")),
    st.tuples(st.just("rename"), RUN, st.just("")),
    st.tuples(st.just("bring"), st.just(0), st.sampled_from(ENDED)),
    st.tuples(st.just("off"), st.just(0), st.sampled_from(["stopped", "running"])),
    st.tuples(st.just("link"), st.just(0), st.sampled_from(["live", "live", "stale", "offline"])),
    st.tuples(st.just("fails"), st.just(0), st.just("")),
    st.tuples(st.just("lose copy"), RUN, st.just("")),
    st.tuples(st.just("move"), st.just(0), st.sampled_from(["end", "hold", "hide"])),
    st.tuples(st.just("cancel"), st.just(0), st.just("")),
)
STEP = st.tuples(st.one_of(st.none(), EVENT), st.integers(0, 90))
SETTING = st.builds(
    lambda saves, end, also: Setting(
        "lab",
        Wish(tuple(saves), end, frozenset(also)),  # type: ignore[arg-type]
        a_setting().bound,
        "lab",
    ),
    st.lists(st.sampled_from(["push", "pull"]), unique=True),
    st.sampled_from(["stop", "destroy"]),
    st.sets(st.sampled_from(["failed", "dead"])),
)


class Judged(World):
    """A world that looks at its truth whenever the line acts."""

    is_cancelled = False
    began_at = 0.0
    number = 1

    def __init__(self, *settings_and_runs: object) -> None:
        super().__init__(*settings_and_runs)  # type: ignore[arg-type]
        self.waited: dict[int, Training] = {}

    @property
    def wanted(self) -> set[str]:
        return {"completed", "unseen", *self.setting.wish.also}

    def look(self) -> object:
        for run in self.runs if self.link == "live" else ():
            if run.state not in ENDED:
                self.waited[id(run)] = run
            elif run.state in self.wanted:
                self.waited.pop(id(run), None)
        before = self.phase
        order = super().look()
        if before != "counting" and self.phase == "counting":
            self.began_at = self.now
        return order

    def act(self) -> None:
        assert not self.is_cancelled
        assert self.sent == 0
        assert self.link == "live"
        assert self.now - self.began_at >= TIMING.countdown
        assert all(run.state in ENDED for run in self.runs)
        assert any(run.state in self.wanted for run in self.runs)
        there = {id(run) for run in self.runs}
        latest = max(run.started_at for run in self.runs)
        for number, run in self.waited.items():
            assert number in there or run.started_at < latest, "a deleted training ended the box"
        super().act()
        if self.sent:
            assert all(run.is_safe for run in self.runs), "something unsaved was destroyed"


def happen(world: Judged, event: tuple[str, int, str]) -> None:
    kind, number, word = event
    if kind in ("start", "bring"):
        world.number += 1
        name, old = f"run{world.number}", kind == "bring"
        began = 10.0 if old else 2000.0 + world.now + world.number
        world.runs.append(Training(name, word, began=began, updated=20.0 if old else None))
    elif kind in ("state", "write", "rename", "delete", "lose copy"):
        if world.runs:
            happen_to(world, world.runs[number % len(world.runs)], kind, word)
    elif kind == "link":
        world.link = word  # type: ignore[assignment]
    elif kind == "off":
        world.link = "offline" if word == "stopped" else "live"
        world.rent = RentView("vast", "700001", "yolo9s", word, listed_at=1.0)
    elif kind == "fails":
        world.succeeds = not world.succeeds
    elif kind == "move":
        move(world, word)
    elif kind == "cancel":
        world.is_cancelled = world.is_cancelled or world.phase != "over"
        world.line.cancel()


def happen_to(world: Judged, run: Training, kind: str, word: str) -> None:
    match kind:
        case "state":
            run.state = word
        case "write":
            run.write()
        case "rename":
            run.name, run.began = f"{run.name}-again", run.started_at
        case "delete":
            world.runs.remove(run)
        case "lose copy":
            run.saved.clear()


def move(world: Judged, word: str) -> None:
    """Let transfers end at once from now on, or hold them, or hide those that are under way."""
    world.at_once = word == "end"
    for number in [*world.transfers] if word != "hold" else ():
        if world.transfers[number].is_over:
            continue
        if word == "end":
            world.settle(number)
        else:
            del world.transfers[number]


@settings(max_examples=1000)
@given(SETTING, st.lists(STEP, min_size=1, max_size=25), st.sampled_from([*STATES]))
def test_any_history(
    setting: Setting, steps: list[tuple[tuple[str, int, str] | None, int]], first: str
) -> None:
    world = Judged(setting, Training("run1", first))
    world.wall = 500.0
    for event, seconds in steps:
        if event is not None:
            happen(world, event)
        world.wait(seconds, 5.0)
    assert world.sent <= 1
    if world.is_cancelled:
        assert world.line.view.result == "cancelled" and world.sent == 0
    world.wait(300, 5.0)
    assert world.sent <= 1


@settings(max_examples=200)
@given(st.lists(st.sampled_from(ENDED), min_size=1, max_size=4), SETTING)
def test_what_ends_while_it_is_watched_ends_the_box_only_as_it_was_asked_for(
    ends: list[str], setting: Setting
) -> None:
    runs = [Training(f"run{number}") for number in range(len(ends))]
    world = Judged(setting, *runs)
    world.look()
    for run, end in zip(runs, ends, strict=True):
        run.state = end
    world.wait(300, 5.0)
    wanted = {"completed", "unseen", *setting.wish.also}
    asked = all(end in wanted for end in ends)
    assert world.sent == int(asked and bool(setting.wish.saves))


def test_the_order_is_given_once() -> None:
    world = Judged(a_setting(), Training("run1", "completed"))
    orders = []
    for _ in range(500):
        world.now += 1
        orders.append(world.look())
    assert len([order for order in orders if isinstance(order, Act)]) == 1
