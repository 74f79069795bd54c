"""Which run stands first, and which is meant when none is named."""

from __future__ import annotations

from tests.runs.build import CASES, evidence
from tui.facts import Process
from tui.runs.assess import assess
from tui.runs.model import Run, Verdict
from tui.runs.order import default_run, is_live, live_sibling, order_runs, sibling_text


def project() -> list[Run]:
    """Three runs of one name: the old finished one, the live one, and one that just began."""
    at = CASES / "RUN-10"
    live = Process(4242, "alive", 1796004000.0 - 3600, "python -m libreyolo train")
    processes = {"run1": Process(900, "gone"), "run12": live}
    return [
        assess(evidence(run_dir, process=processes.get(run_dir.name)))
        for run_dir in sorted((at / "runs").iterdir())
    ]


def run(name: str, verdict: Verdict, started: float, alive: bool | None = None) -> Run:
    state = verdict if verdict in ("completed", "failed") else "running"
    return Run(
        id=name,
        path=f"/root/runs/{name}",
        verdict=verdict,
        reported_state=state,
        started_at=started,
        pid_alive=alive,
    )


def test_the_live_run_is_meant_when_none_is_named() -> None:
    meant = default_run(project())
    assert meant is not None
    assert meant.id == "run12"


def test_an_old_run_says_that_another_is_live_beside_it() -> None:
    runs = {found.id: found for found in project()}
    sibling = live_sibling(runs.values(), runs["run1"])
    assert sibling is not None
    assert sibling_text(sibling) == "run12 is live"
    assert runs["run1"].verdict == "completed"
    assert live_sibling(runs.values(), runs["run12"]) is None


def test_a_live_run_of_another_project_is_no_sibling() -> None:
    old = run("run1", "completed", 1.0)
    other = Run(id="x", path="/data/runs/x", verdict="running", reported_state="running")
    assert live_sibling([old, other], old) is None


def test_what_needs_a_person_stands_first_then_live_then_by_time() -> None:
    runs = [
        run("run2", "completed", 50.0),
        run("run12", "completed", 60.0),
        run("dead", "dead", 10.0, alive=False),
        run("live", "running", 20.0, alive=True),
        run("stalled", "stalled", 30.0, alive=True),
        run("new", "starting", 40.0, alive=True),
        run("stopped", "stopped", 70.0, alive=False),
    ]
    order = [found.id for found in order_runs(runs)]
    assert order == ["stalled", "dead", "new", "live", "stopped", "run12", "run2"]


def test_at_equal_times_names_are_ordered_as_people_count() -> None:
    runs = [run(name, "completed", 5.0) for name in ("run12", "run2", "run1", "exp", "run١")]
    assert [found.id for found in order_runs(runs)] == ["exp", "run1", "run١", "run2", "run12"]


def test_time_decides_not_the_name() -> None:
    assert [found.id for found in order_runs(project())] == ["run12", "run13", "run1"]


def test_a_process_that_lives_on_after_its_run_makes_no_live_run() -> None:
    assert not is_live(run("done", "completed", 1.0, alive=True))
    assert not is_live(run("done", "failed", 1.0, alive=None))
    assert is_live(run("moving", "running", 1.0, alive=None))
    assert not is_live(run("gone", "dead", 1.0, alive=False))


def test_without_runs_none_is_meant() -> None:
    assert default_run([]) is None
    assert order_runs([]) == []
