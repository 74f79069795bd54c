"""A kill in words: what will happen, what is lost by it, and what was seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tui.actions.kill_plan import KillMoment, KillPlan, KillReport, KillRules
from tui.actions.kill_tree import GpuMemory, Member
from tui.actions.progress import Progress
from tui.report.plain import rate_text
from tui.runs.model import Run
from tui.runs.saved import MATTER, by_weight, saved_state, saved_text
from tui.runs.words import size_text
from tui.text import said

MOST_NAMED = 12


def plan_lines(plan: KillPlan, rules: KillRules, price_per_hour: float | None) -> Iterator[str]:
    """Yield what will be done, what is not saved, and what goes on costing."""
    run = plan.run
    headline = f", {said(run.headline)}" if run.headline else ""
    yield f"end the training {said(run.id)} of {said(plan.box)}{headline}"
    yield from (f"  {line}" for line in _signal_lines(plan, rules))
    yield f"  {unsaved_line(run)}"
    yield f"  {billing_line(price_per_hour)}"


def _signal_lines(plan: KillPlan, rules: KillRules) -> Iterator[str]:
    tree, top = plan.tree, _process(plan.tree.top)
    others = len(tree.members) - 1
    rest = f", the top of {_processes(others + 1)}"
    if tree.orphans:
        yield f"the training itself has ended; {_still_live(len(tree.members))}"
        yield f"SIGTERM to {top}" + (f" and {_processes(others)} more" if others else "")
    elif plan.first == "TERM":
        yield f"SIGTERM at once to {top}{rest if others else ''}"
        yield "  it ignores SIGINT, as does what a script starts with &: no final status will come"
    else:
        yield f"SIGINT to {top}{rest if others else ''}"
    if tree.kernel:
        yield "it is a notebook, which stays as it is: only the training in it is interrupted"
        return
    yield (
        f"after {rules.first:.0f} s SIGTERM to whatever of it is left; "
        "SIGKILL only after a second yes"
    )


def unsaved_line(run: Run) -> str:
    """Return what ending the training saves, which is nothing, and what is not saved yet."""
    start = "ending it saves nothing by itself"
    if not run.checkpoints:
        return f"{start}, and there is no checkpoint yet"
    files = [file for file in by_weight(run.checkpoints) if file.name in MATTER]
    named = files or by_weight(run.checkpoints)[:1]
    lacking = [
        f"{said(file.name)} is {_state(saved_text(file, run))}"
        for file in named
        if saved_state(file) != "saved"
    ]
    if not lacking:
        names = " and ".join(said(file.name) for file in named)
        return f"{start}; {names} {'is' if len(named) == 1 else 'are'} saved already"
    return f"{start}: {' and '.join(lacking)}; the files stay on the box"


def _state(words: str) -> str:
    return words if words in ("not saved", "damaged") else f"saved, but the {words}"


def billing_line(price_per_hour: float | None) -> str:
    """Return that the box bills on, with its price where one is known."""
    price = "" if price_per_hour is None else f" {rate_text(price_per_hour)}"
    return f"the box keeps billing{price}: this stops the training, not the box"


def hard_lines(members: Sequence[Member]) -> Iterator[str]:
    """Yield who would get SIGKILL."""
    yield f"{_processes(len(members))} did not end on SIGTERM:"
    yield from member_lines(members)
    yield "SIGKILL ends them at once; what they are writing may be left half written"


def member_lines(members: Sequence[Member]) -> Iterator[str]:
    """Yield one line for each process, the first dozen by name."""
    for member in members[:MOST_NAMED]:
        stuck = "  (stuck in the kernel: no signal reaches it there)" if member.stuck else ""
        yield f"  {member.pid}  {said(member.command, 90) or '?'}{stuck}"
    if len(members) > MOST_NAMED:
        yield f"  and {len(members) - MOST_NAMED} more"


def report_lines(report: KillReport, price_per_hour: float | None) -> Iterator[str]:
    """Yield what was seen, never what was hoped for."""
    name, seen = said(report.plan.run.id), report.seen
    if report.lost is not None:
        yield f"the connection broke on the way ({said(report.lost)}); this was seen after it:"
    if seen.over:
        yield f"{name} has ended; the notebook it ran in lives on"
    elif report.ended:
        yield f"{name} has ended: none of its processes is left"
    else:
        yield f"{name} has NOT ended: {_still_live(len(seen.left))}"
        yield from member_lines(seen.left)
    if report.denied:
        pids = ", ".join(map(str, report.denied))
        yield f"this user may not signal {pids}"
    if seen.zombies:
        own = "has ended and waits" if len(seen.zombies) == 1 else "have ended and wait"
        yield f"{_processes(len(seen.zombies))} {own} to be cleared away, holding no memory"
    if report.ended:
        yield _status_line(report)
    yield from gpu_lines(report.before, seen.gpus, seen.gpu_error)
    yield billing_line(price_per_hour)


def _status_line(report: KillReport) -> str:
    seen = report.seen
    if seen.state == "running":
        return "no final status was written: the file says running, boxtop says stopped"
    if seen.state is None:
        return "there is no status to read"
    error = f" ({said(seen.error, 80)})" if seen.error else ""
    return f"its status says {said(seen.state, 40)}{error}"


def gpu_lines(
    before: Sequence[GpuMemory], after: Sequence[GpuMemory], error: str | None
) -> Iterator[str]:
    """Yield how much memory of each GPU is in use now, and was before."""
    if error is not None:
        yield f"the memory of the GPUs is not known: {said(error, 120)}"
    was = {gpu.index: gpu.used for gpu in before}
    for gpu in after:
        then = f", {size_text(was[gpu.index])} before" if gpu.index in was else ""
        used = f"{size_text(gpu.used)} of {size_text(gpu.total)}"
        yield f"GPU {gpu.index}: {used} in use{then}"


def moment_progress(moment: KillMoment) -> Progress:
    """Return how far it is, for whoever shows progress: a stage, and what is left."""
    if moment.stage in ("looking", "looking again"):
        words = {"looking": "looking at its processes", "looking again": "looking what is left"}
        return Progress(words[moment.stage])
    left = _processes(moment.left)
    if moment.stage == "signalling":
        return Progress(f"SIG{moment.signal} to {left}")
    return Progress(
        f"SIG{moment.signal} was sent", note=f"{left} left, {moment.seconds:.0f} s more"
    )


def _processes(count: int) -> str:
    return "1 process" if count == 1 else f"{count} processes"


def _still_live(count: int) -> str:
    return f"{_processes(count)} of it still {'lives' if count == 1 else 'live'}"


def _process(member: Member) -> str:
    return f"process {member.pid} ({said(member.command, 60) or '?'})"
