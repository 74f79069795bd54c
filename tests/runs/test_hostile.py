"""Whatever a box sends, a Run comes out: clean, bounded, and the same for any pieces of bytes."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.runs.build import NOW, RECORDINGS, evidence, log, metrics
from tui.facts import CheckpointStat, Disk, FileTrouble, Process, Stat, Task
from tui.runs.assess import assess
from tui.runs.evidence import Evidence
from tui.runs.log import LogTail
from tui.runs.metrics import Metrics
from tui.runs.model import Run
from tui.runs.order import default_run, order_runs
from tui.runs.status import StatusFile

TIMES = st.one_of(st.floats(NOW - 1e6, NOW + 1e6), st.floats(allow_nan=False, allow_infinity=False))
WORDS = st.one_of(
    st.sampled_from(["running", "completed", "failed", "RUNNING", "", "KeyboardInterrupt"]),
    st.text(max_size=12),
)
ISO = st.datetimes().map(lambda when: when.isoformat())
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    WORDS,
    ISO,
    st.integers(0, 40),
    st.dictionaries(st.sampled_from(["type", "message"]), WORDS),
)
STATUSES = st.dictionaries(
    st.sampled_from([*StatusFile.__struct_fields__, "progress", "metrics"]), VALUES
).map(lambda document: json.dumps(document).encode())
ROWS = st.lists(
    st.dictionaries(
        st.sampled_from(
            [
                "epoch",
                "time",
                "train/loss",
                "validated",
                "is_best",
                "current_metric",
                "current_metric_name",
                "best_metric",
                "best_epoch",
            ]
        ),
        VALUES,
    ),
    max_size=8,
).map(lambda found: "".join(json.dumps(row) + "\n" for row in found).encode())
LINES = st.lists(
    st.one_of(
        st.text(max_size=30),
        st.sampled_from(
            [
                "Traceback (most recent call last):",
                "  File x",
                "KeyboardInterrupt",
                "Killed",
                "RuntimeError: CUDA out of memory. Tried to allocate 1 GiB",
                "Training complete",
            ]
        ),
    ),
    max_size=8,
).map("\n".join)
PROCESSES = st.one_of(
    st.none(),
    st.builds(
        Process,
        pid=st.integers(0, 2**40),
        state=st.sampled_from(["alive", "gone", "zombie", "unreadable"]),
        started_at=st.one_of(st.none(), TIMES),
        command=st.one_of(st.text(max_size=20), st.just("python train.py"), st.just("sshd: x")),
        tree=st.lists(
            st.builds(Task, pid=st.integers(), parent=st.integers(), command=st.text(max_size=5)),
            max_size=2,
        ).map(tuple),
    ),
)
SIZES = st.integers(0, 2**70)
DISKS = st.one_of(
    st.none(),
    st.builds(
        Disk,
        path=st.text(max_size=5),
        free=SIZES,
        total=SIZES,
        inodes_free=st.one_of(st.none(), SIZES),
        inodes_total=st.one_of(st.none(), SIZES),
    ),
)
NAMES = st.sampled_from(["status.json", "metrics.jsonl", "results.csv", "train.log", "console.log"])


@st.composite
def evidences(draw: st.DrawFn) -> Evidence:
    now = draw(TIMES)
    return Evidence(
        id=draw(st.text(max_size=8)),
        path=draw(st.text(max_size=8)),
        now=now,
        clock=now + draw(st.floats(0, 1e6)),
        status=draw(st.one_of(st.none(), st.binary(max_size=40), STATUSES)),
        metrics=metrics(draw(st.one_of(st.binary(max_size=40), ROWS))),
        results=draw(
            st.one_of(st.none(), st.binary(max_size=40).map(lambda d: metrics(d, csv=True)))
        ),
        log=log(draw(LINES)),
        console=log(draw(LINES)),
        console_path=draw(st.one_of(st.none(), st.text(max_size=8))),
        config=draw(
            st.one_of(st.none(), st.binary(max_size=40), st.just(b"epochs: 12\nresume: true"))
        ),
        files=draw(st.dictionaries(NAMES, st.builds(Stat, size=SIZES, mtime=TIMES))),
        troubles=draw(
            st.dictionaries(
                NAMES,
                st.builds(
                    FileTrouble, path=st.text(max_size=3), name=NAMES, error=st.text(max_size=8)
                ),
            )
        ),
        process=draw(PROCESSES),
        disk=draw(DISKS),
        shm=draw(DISKS),
        oom_kills=draw(st.one_of(st.none(), st.integers(0, 2**70))),
        checkpoints=draw(
            st.lists(
                st.builds(
                    CheckpointStat,
                    name=st.text(max_size=8),
                    size=SIZES,
                    mtime=TIMES,
                    complete=st.sampled_from([None, True, False]),
                ),
                max_size=2,
            ).map(tuple)
        ),
        killed_by_boxtop=draw(st.booleans()),
        price_per_hour=draw(st.one_of(st.none(), st.floats())),
    )


def shown(run: Run) -> list[str]:
    """Every text of a run that is made here, not the names that its caller gave."""
    texts = [
        run.headline,
        run.eta_text,
        *run.warnings,
        run.reason or "",
        run.model or "",
        run.task or "",
    ]
    texts += [run.reported_state or "", run.error.message or "" if run.error else ""]
    texts += [
        run.diagnosis.summary if run.diagnosis else "",
        run.best.name or "" if run.best else "",
    ]
    return texts


@settings(max_examples=120)
@given(evidences())
def test_any_evidence_makes_a_run_that_can_be_shown(found: Evidence) -> None:
    run = assess(found)
    assert run.progress is None or 0 <= run.progress <= 1
    done = run.verdict == "completed" or (run.reported_state or "").strip().lower() == "completed"
    assert done == (run.progress == 1.0)
    assert run.age_s is None or run.age_s >= 0
    assert run.eta_s is None or run.eta_s >= 0
    assert run.epoch is None or run.epoch >= 0
    for text in shown(run):
        assert text.isprintable(), text
    msgspec.json.encode(replace_names(run))
    assert order_runs([run, run]) == [run, run]
    assert default_run([run]) is run


def replace_names(run: Run) -> Run:
    """The run under a name that JSON can hold; hostile names are the report's to encode."""
    clean_files = tuple(
        msgspec.structs.replace(file, name="x", bytes=1) for file in run.checkpoints
    )
    return msgspec.structs.replace(run, id="x", path="/x", checkpoints=clean_files)


@settings(max_examples=40)
@given(st.lists(st.integers(0, 17_000), max_size=6))
def test_the_pieces_the_bytes_come_in_change_nothing(cuts: list[int]) -> None:
    at = RECORDINGS / "yolo9t_resumed"
    whole = evidence(at)
    table, tail, console = Metrics(), LogTail(), LogTail()
    for name, reader in (("metrics.jsonl", table), ("train.log", tail), ("console.log", console)):
        data = (at / name).read_bytes()
        edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
        for start, end in pairwise(edges):
            reader.feed(data[start:end])
    pieces = replace(whole, metrics=table, log=tail, console=console)
    assert assess(pieces) == assess(whole)
