"""`boxtop status` as text: a block for each box, two lines for each run, more where needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tui.facts import Gpu
from tui.glyphs import verdict_glyphs
from tui.money import usd_text
from tui.report.document import fullest_disk, number
from tui.report.lines import Paper, Span, cells, cut, pad
from tui.report.order import by_need
from tui.report.rent import rent_rows, total_lines
from tui.runs.files import MARKERS, SEARCH_DEPTH
from tui.runs.model import NEEDS_A_PERSON, Best, Cost, Run, Verdict
from tui.runs.order import is_live
from tui.runs.saved import MATTER, SavedState, by_weight, saved_state, saved_text
from tui.runs.words import clock_text, count_text, pace_text, rough_text, size_text, used_percent
from tui.text import said
from tui.view import BoxView, LinkView, PendingView, RunView

_STYLES: dict[Verdict, str] = {
    "starting": "cyan",
    "running": "green",
    "stalled": "yellow",
    "diverged": "magenta",
    "dead": "red",
    "stopped": "",
    "failed": "red",
    "completed": "blue",
    "unknown": "",
}
_INDENT = "  "
_DETAIL = " " * 15
"""Below the run's name: indent, sign, verdict."""
_LONGEST_NAME = 24
_SKEW_SHOWN_S = 5.0
_GIB = 1024**3


def status_lines(boxes: Sequence[BoxView], paper: Paper) -> Iterator[str]:
    """Yield the lines of the whole report, each within the paper's width."""
    for index, box in enumerate(boxes):
        if index:
            yield ""
        yield from _box_lines(box, paper)
    if len(boxes) > 1:
        yield ""
        yield from paper.flow([Span(_summary(boxes))], "", "")
    for span in total_lines([box.rent for box in boxes if box.rent is not None]):
        yield from paper.flow([span], "", _INDENT)


def _summary(boxes: Sequence[BoxView]) -> str:
    runs = [view.run for box in boxes for view in box.runs]
    troubled = sum(run.verdict in NEEDS_A_PERSON for run in runs)
    asked = [box for box in boxes if not box.is_off]
    unread = sum(box.link.state != "live" or bool(box.unsearched) for box in asked)
    parts = [f"{_boxes(len(boxes))}, {count_text(len(runs), 'run')}"]
    if troubled:
        parts.append(f"{troubled} need{'s' if troubled == 1 else ''} a person")
    if unread:
        parts.append(f"{_boxes(unread)} could not be read")
    return ", ".join(parts)


def _boxes(count: int) -> str:
    return "1 box" if count == 1 else f"{count} boxes"


def _box_lines(box: BoxView, paper: Paper) -> Iterator[str]:
    name = said(box.name, 64)
    target = said(box.target, 200)
    price = f"  {rate_text(box.usd_per_hour)}" if box.usd_per_hour is not None else ""
    left = name + (f"  {target}" if target != name else "") + price
    live = box.link.state == "live"
    yield from paper.spread(
        Span(left, "bold"), Span(link_text(box.link), "" if live else "bold yellow")
    )
    if box.link.error:
        yield from paper.flow([Span(said(box.link.error), "yellow")], _INDENT, _INDENT * 2)
    if box.link.hint:
        yield from paper.flow([Span(said(box.link.hint))], _INDENT, _INDENT * 2)
    for text in box.unsearched:
        yield from paper.flow([Span(said(text), "yellow")], _INDENT, _INDENT * 2)
    for row in rent_rows(box):
        yield from paper.flow(row, _INDENT, _INDENT * 2)
    yield from _machine_lines(box, paper)
    for notice in box.notices:
        yield from paper.flow([Span(f"note: {said(notice)}", "dim")], _INDENT, _INDENT * 2)
    if not box.runs and live and not box.unsearched:
        yield from _empty_lines(box, paper)
    runs = by_need(box.runs)
    names = [cut(paper.plain(said(view.run.id)), _LONGEST_NAME) for view in runs]
    width = max(map(cells, names), default=0)
    for view, name in zip(runs, names, strict=True):
        yield from _run_lines(view, pad(name, width), paper)


def link_text(link: LinkView) -> str:
    """Return how a box was reached: ``live``, or the state and when it was last seen."""
    if link.state == "live":
        return "live"
    if link.age_s is None:
        return f"{link.state}, never seen"
    return f"{link.state}, last seen {rough_text(link.age_s)} ago"


def _empty_lines(box: BoxView, paper: Paper) -> Iterator[str]:
    where = [Span(said(root)) for root in dict.fromkeys(box.searched)] or [Span("nowhere")]
    markers = f"{', '.join(MARKERS[:-1])} or {MARKERS[-1]}"
    yield from paper.flow([Span("no runs yet; looked below"), *where], _INDENT, _INDENT * 2)
    text = f"for a directory that holds {markers}, {SEARCH_DEPTH} levels deep"
    yield from paper.flow([Span(text, "dim")], _INDENT, _INDENT * 2)


def _machine_lines(box: BoxView, paper: Paper) -> Iterator[str]:
    for gpu in box.gpus:
        yield from paper.flow(_gpu_spans(gpu), _INDENT, _INDENT * 2)
    if box.gpu_error:
        text = f"GPU not answering: {said(box.gpu_error)}"
        yield from paper.flow([Span(text, "yellow")], _INDENT, _INDENT * 2)
    yield from paper.flow(_host_spans(box), _INDENT, _INDENT * 2)
    skew = box.clock_skew_s
    if skew is not None and abs(skew) > _SKEW_SHOWN_S:
        way = "ahead of" if skew > 0 else "behind"
        text = f"the box's clock is {clock_text(abs(skew))} {way} this machine's"
        yield from paper.flow([Span(text, "dim")], _INDENT, _INDENT * 2)


def _gpu_spans(gpu: Gpu) -> Iterator[Span]:
    yield Span(f"GPU {gpu.index}")
    yield Span(said(gpu.name, 40))
    if number(gpu.util) is not None:
        yield Span(f"{gpu.util:.0f} %")
    if gpu.memory_used is not None and gpu.memory_total is not None:
        yield Span(f"{gpu.memory_used / _GIB:.1f} of {gpu.memory_total / _GIB:.1f} GiB")
    if number(gpu.temperature_c) is not None:
        yield Span(f"{gpu.temperature_c:.0f} °C")
    if number(gpu.power_w) is not None:
        yield Span(f"{gpu.power_w:.0f} W")


def _host_spans(box: BoxView) -> Iterator[Span]:
    if box.load1 is not None:
        of = f" on {box.cpus} cores" if box.cpus else ""
        yield Span(f"load {box.load1:.1f}{of}")
    if box.memory_used is not None and box.memory_total:
        yield Span(f"memory {box.memory_used / _GIB:.1f} of {box.memory_total / _GIB:.1f} GiB")
    fullest = fullest_disk(box.runs)
    if fullest is not None and fullest.disk is not None:
        free, total = fullest.disk.free, fullest.disk.total
        used = used_percent(free, total)
        text = f"disk {free / _GIB:.1f} of {total / _GIB:.1f} GiB free"
        yield Span(text, "red" if used is not None and used >= 98 else "")
        if fullest.disk_full_in_s is not None:
            yield Span(f"full in {rough_text(fullest.disk_full_in_s)}", "yellow")


_SAVED_STYLES: dict[SavedState, str] = {
    "saved": "green",
    "older": "yellow",
    "unsaved": "yellow",
    "damaged": "red",
}


def _run_lines(view: RunView, name: str, paper: Paper) -> Iterator[str]:
    run = view.run
    style = _STYLES[run.verdict]
    glyph = verdict_glyphs(paper.ascii_only)[run.verdict]
    head = [
        Span(f"{glyph} {run.verdict:<9}", f"bold {style}".strip()),
        Span(name, "bold"),
        *_progress_spans(run),
    ]
    yield from paper.flow(head, _INDENT, _DETAIL)
    yield from paper.flow(_detail_spans(run), _DETAIL, _DETAIL)
    yield from paper.flow(_weight_spans(run), _DETAIL, _DETAIL)
    for push in view.pending:
        yield from paper.flow([Span(pending_text(push), "yellow")], _DETAIL, _DETAIL + _INDENT)
    for span in explanations(run):
        yield from paper.flow([span], _DETAIL, _DETAIL + _INDENT)
    for text in run.warnings:
        yield from paper.flow([Span(f"! {said(text)}", "yellow")], _DETAIL, _DETAIL + _INDENT)


def _progress_spans(run: Run) -> Iterator[Span]:
    headline = _shorter_headline(run)
    if headline:
        yield Span(headline)
    if run.progress is not None and run.verdict != "completed" and "%" not in headline:
        yield Span(f"{int(run.progress * 100)} %")
    if run.eta_text != "-":
        yield Span(f"eta {said(run.eta_text)}")
    if run.model:
        yield Span(said(run.model, 40))


def _shorter_headline(run: Run) -> str:
    """Return the headline without the verdict, whose word stands before it."""
    headline = said(run.headline)
    if headline.lower().startswith(run.verdict):
        headline = headline[len(run.verdict) :].removeprefix(" -").strip()
    if headline.startswith("(") and headline.endswith(")"):
        headline = headline[1:-1]
    return headline


def _detail_spans(run: Run) -> Iterator[Span]:
    if run.epoch:
        yield Span(f"loss {metric_text(run.train_loss)}")
    if run.best is not None and run.best.name:
        yield Span(best_text(run.best))
    if run.current is not None and run.current.name:
        same = run.best is not None and run.best.name == run.current.name
        name = "now" if same else f"now {said(run.current.name, 40)}"
        yield Span(f"{name} {metric_text(run.current.value)}")
    if run.epoch_s is not None:
        yield Span(f"{pace_text(run.epoch_s)} an epoch")
    if run.age_s is not None:
        yield Span(f"updated {rough_text(run.age_s)} ago")
    if run.cost is not None:
        yield from _cost_spans(run.cost)


def _cost_spans(cost: Cost) -> Iterator[Span]:
    """Yield what is known of a run's money; a price that no provider told says whose it is."""
    for value, what in (
        (cost.so_far, "so far"),
        (cost.to_finish, "to finish"),
        (cost.per_epoch, "an epoch"),
        (cost.wasted, "wasted"),
    ):
        if value is not None:
            yield Span(f"{usd_text(value)} {what}", "red" if what == "wasted" and value else "")
    if cost.source in ("user", "computed"):
        yield Span(f"({cost.source})", "dim")


def _weight_spans(run: Run) -> Iterator[Span]:
    """Yield each checkpoint that matters, and what would be lost of it with the box."""
    for file in by_weight(run.checkpoints):
        if file.name in MATTER:
            text = f"{file.name} {size_text(file.bytes)} {saved_text(file, run)}"
            yield Span(text, _SAVED_STYLES[saved_state(file)])


def pending_text(push: PendingView) -> str:
    """Return ``a push of best.pt to my-org/run1 has not ended (begun 12 min ago)``."""
    names = ", ".join(said(name, 60) for name in push.names) or "small files"
    began = rough_text(push.age_s)
    return f"a push of {names} to {said(push.to, 120)} has not ended (begun {began} ago)"


def metric_text(value: float | None) -> str:
    """Return a metric or loss with four decimals, or four digits when that says more."""
    if value is None:
        return "-"
    return f"{value:.4f}" if value == 0 or 1e-3 <= abs(value) < 1e3 else f"{value:.4g}"


def best_text(best: Best) -> str:
    """Return ``best mAP50-95 0.6457 @88``; an unknown epoch is ``@-``."""
    epoch = "-" if best.epoch is None else str(best.epoch)
    return f"best {said(best.name or '', 40)} {metric_text(best.value)} @{epoch}"


def rate_text(usd_per_hour: float) -> str:
    """Return a price: ``$3.48/h``, ``$0.40/h``, ``$0.0685/h``."""
    return f"{usd_text(usd_per_hour)}/h"


def explanations(run: Run) -> Iterator[Span]:
    """Yield why a run needs a person, each thing once: reason, error, diagnosis, what to do."""
    style = _STYLES[run.verdict]
    shown = [said(run.headline)]
    for text in _causes(run):
        if text and not any(text in earlier for earlier in shown):
            shown.append(text)
            yield Span(text, style)
    if run.diagnosis is not None and run.diagnosis.source:
        yield Span(f"from {said(run.diagnosis.source)}", "dim")
    if run.diagnosis is not None and run.diagnosis.hint:
        yield Span(f"try: {said(run.diagnosis.hint)}")
    if not is_live(run):
        for checkpoint in run.checkpoints:
            if checkpoint.complete is False:
                yield Span(f"{said(checkpoint.name)} is not a complete checkpoint", "yellow")


def _causes(run: Run) -> Iterator[str]:
    if run.reason:
        yield said(run.reason)
    if run.error is not None and run.verdict == "failed":
        yield said(": ".join(part for part in (run.error.type, run.error.message) if part))
    if run.diagnosis is not None:
        yield said(run.diagnosis.summary)
