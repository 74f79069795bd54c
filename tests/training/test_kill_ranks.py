"""A kill of LibreYOLO's own multi-GPU launcher: coordinator and ranks have another session."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.training.trainings import PYTHON, START_SECONDS
from tests.waiting import wait_until
from tui.actions.cancel import Cancel
from tui.actions.kill import Killing
from tui.actions.shell import HereShell
from tui.runs.model import Run

pytestmark = [pytest.mark.train, pytest.mark.timeout(400)]

RANKS = """\
import json, os, pathlib, signal

def train(rank, world, address, port, result, run):
    run = pathlib.Path(run)
    if rank == 0:
        log = open(run / "train.log", "a")
        status = {"schema_version": 1, "state": "running", "pid": os.getpid()}
        (run / "status.new").write_text(json.dumps(status))
        (run / "status.new").rename(run / "status.json")
    (run / f"rank{rank}").write_text(str(os.getpid()))
    while True:
        signal.pause()
"""
LAUNCHER = """\
import os, sys
from libreyolo.training import _ddp_coordinator as ddp
import ranks

if __name__ == "__main__":
    run = sys.argv[1]
    with ddp.job_workspace() as (job, token):
        ddp.write_job(
            job, worker_fn=ranks.train, spawn_args=(run,), nprocs=2, result_path=run + "/result",
            master_addr="127.0.0.1", master_port=1, import_paths=[os.path.dirname(__file__)],
        )
        ddp.launch_coordinator(job, env=dict(os.environ), cleanup_token=token)
"""


def lives(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    return False


@pytest.fixture
def launcher(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    if not PYTHON.exists():
        pytest.skip(f"no Python with LibreYOLO at {PYTHON}: set BOXTOP_TRAIN_PYTHON")
    (tmp_path / "ranks.py").write_text(RANKS)
    (tmp_path / "launcher.py").write_text(LAUNCHER)
    (tmp_path / "run").mkdir()
    process = subprocess.Popen(
        [PYTHON, tmp_path / "launcher.py", tmp_path / "run"],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stderr=subprocess.DEVNULL,
    )
    yield process
    process.kill()  # its coordinator watches it, and ends the ranks
    process.wait()


def test_the_launcher_is_told_and_no_rank_is_left(
    launcher: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    run = tmp_path / "run"
    told = (run / "rank0", run / "rank1")

    def started() -> bool:
        assert launcher.poll() is None
        return all(path.exists() and path.read_text() for path in told)

    wait_until(started, START_SECONDS, "both ranks")
    ranks = [int(path.read_text()) for path in told]
    status = json.loads((run / "status.json").read_text())
    killing = Killing(HereShell())
    plan = killing.plan("here", Run(id="run", path=str(run), pid=status["pid"]), Cancel())
    assert plan.tree.top.pid == launcher.pid and plan.first == "INT"
    assert {*ranks, launcher.pid} < {member.pid for member in plan.tree.members}
    assert plan.tree.top.session != plan.tree.training.session

    report = killing.kill(plan, lambda members: False, lambda moment: None, Cancel())
    assert report.ended, report
    assert report.sent[0] == "INT"
    assert not any(lives(pid) for pid in ranks)
    assert launcher.wait(20) != 0
