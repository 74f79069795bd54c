"""The mirrors on this machine: which boxes and runs, how large, how old."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tui.cli.mirror_choice import mirror_ids
from tui.clock import Clock
from tui.report.document import exact, iso_time
from tui.report.lines import Paper, Span, cells, pad
from tui.runs.files import APPENDED, REPLACED
from tui.runs.mirror import RunMirror
from tui.runs.mirrors import BoxMirror, Mirrors
from tui.runs.words import rough_text, size_text
from tui.text import said


def known_mirrors(data: Path) -> list[BoxMirror]:
    """Return the mirrors of all boxes of which anything is known, in order of their names."""
    known = Mirrors(data).known()
    return [one for one in known if one.meta.seen_at is not None or any(one.runs())]


def list_document(mirrors: Sequence[BoxMirror]) -> dict[str, Any]:
    """Return the list as a JSON document."""
    return {
        "schema_version": 1,
        "boxes": [
            {
                "name": exact(mirror.meta.name),
                "target": exact(mirror.meta.text),
                "seen_at": iso_time(mirror.meta.seen_at),
                "bytes": mirror.size(),
                "directory": exact(str(mirror.directory)),
                "runs": [
                    {
                        "id": exact(ids[run.meta.path]),
                        "path": exact(run.meta.path),
                        "bytes": run.size(),
                        "changed_at": iso_time(changed_at(run)),
                        "directory": exact(str(run.directory)),
                    }
                    for run in _newest_first(mirror)
                ],
            }
            for mirror in mirrors
            for ids in [mirror_ids(mirror)]
        ],
    }


def list_lines(mirrors: Sequence[BoxMirror], data: Path, paper: Paper) -> Iterator[str]:
    """Yield the list as text: a line for each box, and below it one for each run."""
    if not mirrors:
        yield from paper.flow([Span(f"no mirrors yet below {data}")], "", "  ")
        return
    now = Clock().wall()
    for mirror in mirrors:
        meta = mirror.meta
        seen = "never seen" if meta.seen_at is None else f"last seen {_age(now, meta.seen_at)} ago"
        target = [Span(said(meta.text))] if meta.text != meta.name else []
        spans = [Span(said(meta.name), "bold"), *target, Span(size_text(mirror.size())), Span(seen)]
        yield from paper.flow(spans, "", "  ")
        runs = _newest_first(mirror)
        ids = mirror_ids(mirror)
        names = [said(ids[run.meta.path], 60) for run in runs]
        width = max(map(cells, names), default=0)
        for run, name in zip(runs, names, strict=True):
            at = changed_at(run)
            changed = [] if at is None else [Span(f"changed {_age(now, at)} ago")]
            line = [Span(pad(name, width)), Span(f"{size_text(run.size()):>8}"), *changed]
            yield from paper.flow(line, "  ", "    ")


def changed_at(run: RunMirror) -> float | None:
    """Return when a run last moved, by its box's clock."""
    stats = [run.stat(name) for name in (*REPLACED, *APPENDED)]
    return max((stat.mtime for stat in stats if stat is not None), default=None)


def _newest_first(mirror: BoxMirror) -> list[RunMirror]:
    return sorted(mirror.runs(), key=lambda run: -(changed_at(run) or 0.0))


def _age(now: float, at: float) -> str:
    return rough_text(max(0.0, now - at))
