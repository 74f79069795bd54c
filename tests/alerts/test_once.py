"""Whatever happens to a run, its link, boxtop and the laptop: each thing is told once."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.alerts.scenes import OFFLINE, Scene, box, run

ENDS = ("failed", "dead", "completed", "stopped")
TOLD_ENDS = ("failed", "dead", "completed")

step = st.one_of(
    st.tuples(st.just("become"), st.sampled_from(("running", "stalled", *ENDS))),
    st.tuples(st.just("wait"), st.sampled_from((5, 10, 60, 700, 2000))),
    st.tuples(st.just("drop"), st.sampled_from((5, 60, 200))),
    st.tuples(st.just("restart"), st.sampled_from((1, 60, 90_000))),
    st.tuples(st.just("sleep"), st.sampled_from((60, 30_000))),
    st.tuples(st.just("train anew"), st.just(0)),
)


class Life:
    """The trainings of one run directory, one after the other, and what was told of each."""

    def __init__(self) -> None:
        self.scene = Scene()
        self.pid = 1
        self.verdict = "running"
        self.ended_at: float | None = None
        self.told: Counter[tuple[int, str]] = Counter()
        self.stalls: Counter[int] = Counter()

    def see(self, seconds: float, **link: object) -> None:
        epoch = 12 + self.stalls[self.pid]
        now = run(self.verdict, pid=self.pid, epoch=epoch, ended_at=self.ended_at)
        for event in self.scene.see(box(now, **link), seconds=seconds):
            self.told[self.pid, event.kind] += 1
            assert event.kind != "stalled" or self.verdict == "stalled"

    def settle(self) -> None:
        """See for a minute what is so: by then it was told, and once."""
        self.see(60)
        for kind in TOLD_ENDS:
            assert self.told[self.pid, kind] == (self.verdict == kind), (kind, self.verdict)
        assert self.told[self.pid, "stalled"] <= self.stalls[self.pid]
        assert self.verdict != "stalled" or self.told[self.pid, "stalled"]

    def become(self, verdict: str) -> None:
        if self.verdict in ENDS:
            return
        self.stalls[self.pid] += verdict == "stalled" != self.verdict
        self.verdict = verdict
        self.ended_at = self.scene.wall if verdict in ENDS else None

    def train_anew(self) -> None:
        if self.verdict not in ENDS:
            return
        self.settle()
        self.pid, self.verdict, self.ended_at = self.pid + 1, "running", None
        self.see(30)

    def do(self, action: str, value: int | str) -> None:
        match action:
            case "become":
                self.become(str(value))
            case "wait":
                self.see(float(value))
            case "drop":
                self.see(float(value), link=OFFLINE)
            case "restart":
                self.scene.restart(float(value))
            case "sleep":
                self.scene.sleep(float(value))
            case _:
                self.train_anew()


@settings(max_examples=200)
@given(st.lists(step, max_size=40))
def test_each_end_of_each_training_is_told_exactly_once(steps: list[tuple[str, int | str]]) -> None:
    life = Life()
    life.see(30)
    for action, value in steps:
        life.do(action, value)
    life.settle()


@settings(max_examples=100)
@given(st.lists(st.sampled_from(("live", "stale", "offline", "restart")), max_size=60))
def test_a_box_is_unreachable_once_until_it_was_long_back(links: list[str]) -> None:
    scene = Scene()
    scene.see(box(run()), seconds=60)
    told, returns, live = 0, 0, 0
    for state in links:
        live = live + 1 if state == "live" else 0
        returns += live == 6
        if state == "restart":
            scene.restart()
            continue
        view = box(run()) if state == "live" else box(run(), link=OFFLINE)
        for event in scene.see(view, seconds=120):
            assert event.kind == "unreachable" and state != "live"
            told += 1
    assert told <= 1 + returns
