"""What people read of a kill: what will be done, what it costs, and what was seen of it."""

from __future__ import annotations

from dataclasses import replace

from tui.actions.kill_plan import KillMoment, KillPlan, KillReport, KillRules
from tui.actions.kill_program import SignalName, Target
from tui.actions.kill_tree import GpuMemory, Member, Seen, Tree
from tui.actions.kill_words import (
    gpu_lines,
    hard_lines,
    moment_progress,
    plan_lines,
    report_lines,
    unsaved_line,
)
from tui.actions.progress import progress_text
from tui.runs.model import Checkpoint, Run, Saved

LAUNCHER = Member(100, 5, command="python launcher.py", ignores=False)
RANK = Member(110, 7, parent=100, command="python rank0", ignores=False)
STUCK = Member(111, 7, command="python rank1", state="D")
TREE = Tree(LAUNCHER, RANK, (LAUNCHER, RANK), state="running")
RULES = KillRules()
OLDER = Saved("hf://o/r/best.pt", "0" * 64, "c" * 40, 1.0, current=False, epoch=4)
KEPT = Saved("hf://o/r/best.pt", "0" * 64, "c" * 40, 1.0, current=True)


def plan_of(tree: Tree = TREE, first: SignalName = "INT", *files: Checkpoint) -> KillPlan:
    run = Run(id="run1", path="/r/run1", pid=110, headline="epoch 12/100", checkpoints=files)
    return KillPlan("lab", run, Target("/r/run1", 110), tree, first)


def words(plan: KillPlan, price: float | None = 3.4828) -> list[str]:
    return list(plan_lines(plan, RULES, price))


def told(seen: Seen, plan: KillPlan | None = None, **more: object) -> str:
    report = KillReport(plan or plan_of(), ("INT",), seen, **more)  # type: ignore[arg-type]
    return "\n".join(report_lines(report, 3.4828))


def test_the_plan_says_what_is_not_saved_and_what_goes_on_costing() -> None:
    files = (Checkpoint("last.pt", 10, 1.0), Checkpoint("best.pt", 10, 1.0, saved=OLDER))
    assert words(plan_of(TREE, "INT", *files)) == [
        "end the training run1 of lab, epoch 12/100",
        "  SIGINT to process 100 (python launcher.py), the top of 2 processes",
        "  after 30 s SIGTERM to whatever of it is left; SIGKILL only after a second yes",
        "  ending it saves nothing by itself: best.pt is saved, but the copy is older and last.pt "
        "is not saved; the files stay on the box",
        "  the box keeps billing $3.48/h: this stops the training, not the box",
    ]
    assert words(plan_of(), None)[-1].startswith("  the box keeps billing: ")


def test_a_training_that_ignores_an_interrupt_leaves_no_final_status() -> None:
    lines = words(plan_of(first="TERM"))
    assert lines[1].startswith("  SIGTERM at once to process 100 (python launcher.py)")
    assert "ignores SIGINT" in lines[2] and "no final status will come" in lines[2]


def test_orphans_and_notebooks_are_named_as_such() -> None:
    lines = words(plan_of(replace(TREE, orphans=True), "TERM"))
    assert lines[1] == "  the training itself has ended; 2 processes of it still live"
    assert lines[2] == "  SIGTERM to process 100 (python launcher.py) and 1 process more"
    notebook = words(plan_of(replace(TREE, kernel=True)))
    assert "only the training in it is interrupted" in notebook[2]
    assert not any("SIGTERM" in line for line in notebook)


def test_what_is_saved_is_said_to_be() -> None:
    run = Run(id="a", path="/a", checkpoints=(Checkpoint("best.pt", 10, 1.0, saved=KEPT),))
    assert unsaved_line(run) == "ending it saves nothing by itself; best.pt is saved already"
    damaged = Run(id="a", path="/a", checkpoints=(Checkpoint("last.pt", 1, 1.0, complete=False),))
    assert "last.pt is damaged" in unsaved_line(damaged)
    assert "no checkpoint yet" in unsaved_line(Run(id="a", path="/a"))


def test_what_was_seen_is_told_and_nothing_more() -> None:
    ended = told(Seen((), state="failed", error="KeyboardInterrupt"))
    assert "run1 has ended: none of its processes is left" in ended
    assert "its status says failed (KeyboardInterrupt)" in ended
    assert "the file says running, boxtop says stopped" in told(Seen((), state="running"))
    assert "there is no status to read" in told(Seen(()))
    left = told(Seen((STUCK,), (112, 113)), denied=(111,), lost="no sign of life")
    assert left.splitlines()[0].startswith("the connection broke on the way (no sign of life)")
    assert "run1 has NOT ended: 1 process of it still lives" in left
    assert "111  python rank1  (stuck in the kernel: no signal reaches it there)" in left
    assert "this user may not signal 111" in left
    assert "2 processes have ended and wait to be cleared away" in left
    assert "its status says" not in left
    over = told(Seen((LAUNCHER,), over=True))
    assert "the notebook it ran in lives on" in over and "NOT" not in over


def test_who_would_be_killed_is_listed_but_not_without_end() -> None:
    lines = list(hard_lines([replace(RANK, pid=pid) for pid in range(200, 240)]))
    assert lines[0] == "40 processes did not end on SIGTERM:"
    assert "  and 28 more" in lines and len(lines) == 15


def test_gpu_memory_is_told_as_it_is() -> None:
    before = (GpuMemory(0, 8 << 30, 24 << 30),)
    after = (GpuMemory(0, 1 << 20, 24 << 30), GpuMemory(1, 0, 24 << 30))
    lines = list(gpu_lines(before, after, None))
    assert lines[0].startswith("GPU 0: ") and lines[0].endswith(" before")
    assert "before" not in lines[1]
    (unknown,) = gpu_lines((), (), "nvidia-smi gave no answer within 5 s")
    assert unknown.endswith("nvidia-smi gave no answer within 5 s")


def test_moments_are_short() -> None:
    moments = (
        KillMoment("looking"),
        KillMoment("signalling", "INT", 1),
        KillMoment("waiting", "INT", 3, 20.4),
        KillMoment("looking again"),
    )
    assert [progress_text(moment_progress(moment)) for moment in moments] == [
        "looking at its processes",
        "SIGINT to 1 process",
        "SIGINT was sent  3 processes left, 20 s more",
        "looking what is left",
    ]


def test_what_a_box_says_is_shown_harmless() -> None:
    top = replace(LAUNCHER, command="python \x1b[31m--token hf_abcdefabcdefabcdef\n")
    hostile = replace(plan_of(replace(TREE, top=top)), box="\x1b]0;x\x07lab")
    text = "\n".join(words(hostile)) + told(Seen((top,), state="\x1b[2J"), lost="\x1b[2J")
    assert "\x1b" not in text and "hf_abc" not in text
