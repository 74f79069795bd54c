"""Snapshots through every way to a box: this machine, a live link, connections of their own."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import MakeServer, introduce, trust
from tests.links.person import Person
from tests.onbox.checkpoints import checkpoint, leftovers, make_weights, put, sha256, write_status
from tests.onbox.shells import LimitedShell, ScriptedShell
from tests.sshd import SshServer
from tests.waiting import wait_until
from tui.actions.errors import ActionError
from tui.actions.shell import LinkShell, LocalShell, SshShell, make_shell
from tui.actions.snapshot import SMALL_FILES, Rules, list_weights, snapshot
from tui.boxes import LocalTarget, RecordingTarget
from tui.facts import Checkpoints, Hello, Settled
from tui.links.base import FollowRequest
from tui.links.local import LocalLink
from tui.links.ssh.link import SshLink
from tui.onbox.owners import own

DATA = checkpoint()
ODD = "-rf $(touch pwned) 'quote' \"two\"\nline ü"
RULES = Rules(spare=0)


@pytest.fixture
def odd_run(tmp_path: Path) -> Path:
    return make_weights(tmp_path / ODD, best=DATA)


def test_weights_are_listed(tmp_path: Path) -> None:
    run = make_weights(tmp_path / "run", best=DATA, epoch_10=DATA, last=DATA[:-30])
    put(run / "weights" / "average.pt", DATA, age=0)
    os.utime(run / "weights" / "best.pt", (1, 1))
    found = {one.name: one for one in list_weights(LocalShell(), str(run), full=True)}
    assert {name: one.complete for name, one in found.items()} == {
        "best.pt": True,
        "epoch_10.pt": True,
        "last.pt": False,
        "average.pt": None,
    }
    assert found["best.pt"].sha256 == sha256(DATA)
    assert found["best.pt"].identity is not None
    assert found["best.pt"].identity.size == len(DATA)
    assert found["epoch_10.pt"].epoch == 10
    assert found["last.pt"].reason == "no end record"
    quick = list_weights(LocalShell(), str(run))
    assert [one.name for one in quick][-1] == "best.pt"
    assert all(one.sha256 is None for one in quick)


def test_odd_names_are_names_alone(odd_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(odd_run.parent)
    name = f"{ODD}.pt"
    put(odd_run / "weights" / name, DATA)
    with snapshot(LocalShell(), str(odd_run), [name, "best.pt"], rules=RULES) as held:
        assert held.checkpoints[name].sha256 == sha256(DATA)
        assert held.refused == {}
    undecodable = os.fsdecode(b"\xff\xfe.pt")
    put(odd_run / "weights" / undecodable, DATA)
    with snapshot(LocalShell(), str(odd_run), [undecodable], rules=RULES) as held:
        assert held.checkpoints[undecodable].sha256 == sha256(DATA)
    assert not (odd_run.parent / "pwned").exists()


def test_refusals_are_told_by_name(tmp_path: Path) -> None:
    run = make_weights(tmp_path / "run", best=DATA, last=DATA[:-30])
    names = ["best.pt", "last.pt", "epoch_9.pt", "../best.pt"]
    with snapshot(LocalShell(), str(run), names, rules=Rules(settle=0.1, spare=0)) as held:
        assert set(held.checkpoints) == {"best.pt"}
        kinds = {name: error.kind for name, error in held.refused.items()}
    assert kinds == {"last.pt": "damaged", "epoch_9.pt": "missing", "../best.pt": "refused"}
    assert held.refused["last.pt"].hint == "complete on the box: best.pt"
    assert leftovers(run) == []


def test_a_run_without_weights(tmp_path: Path) -> None:
    with pytest.raises(ActionError) as raised:
        list_weights(LocalShell(), str(tmp_path))
    assert (raised.value.kind, str(raised.value)) == ("missing", "no such file: weights")


def test_small_files_are_taken_as_they_are(tmp_path: Path) -> None:
    run = make_weights(tmp_path / "run", best=DATA)
    write_status(run, current_epoch=3)
    (run / "metrics.jsonl").write_text('{"epoch": 3, "best_epoch": 2}\n')
    (run / "train.log").symlink_to("/etc/passwd")
    console = tmp_path / "console out.txt"
    console.write_text("Traceback\n")
    shell = LocalShell()
    with snapshot(
        shell, str(run), ["best.pt"], files=SMALL_FILES, console=str(console), rules=RULES
    ) as held:
        assert set(held.files) == {"status.json", "metrics.jsonl", "console.log"}
        assert held.files["console.log"].sha256 == sha256(b"Traceback\n")
        assert Path(held.files["status.json"].path).read_bytes() == (
            (run / "status.json").read_bytes()
        )
        assert held.checkpoints["best.pt"].epoch == 2
    assert "leads out of the run" in str(held.refused["train.log"])
    assert held.refused["summary.json"].kind == "missing"


def test_a_snapshot_stays_for_as_long_as_another_process_uses_it(tmp_path: Path) -> None:
    run = make_weights(tmp_path / "run", best=DATA)
    with subprocess.Popen(["sleep", "60"]) as uploader:
        with snapshot(LocalShell(), str(run), ["best.pt"], rules=RULES) as held:
            kept = run / "weights" / f".boxtop-{held.number}"
            own(str(kept), uploader.pid)
        os.utime(kept, (1, 1))
        with snapshot(LocalShell(), str(run), ["best.pt"], rules=RULES):
            assert len(leftovers(run)) == 2
        assert leftovers(run) == [kept.name]
        uploader.kill()
    with snapshot(LocalShell(), str(run), [], files=["train.log"]):
        assert leftovers(run) == []


def test_what_a_killed_boxtop_held_goes_with_the_program(tmp_path: Path) -> None:
    run = make_weights(tmp_path / "run", best=DATA)
    with snapshot(LocalShell(), str(run), ["best.pt"], rules=RULES) as held:
        assert leftovers(run) != []
        held.program.close()  # what the end of a process does to its pipes
        wait_until(lambda: leftovers(run) == [], what="the snapshot's end")


def test_small_files_of_a_full_disk_come_over_the_link(tmp_path: Path) -> None:
    run = make_weights(tmp_path / "run", best=DATA)
    log = "ä line of the log\n" * 10_000
    (run / "train.log").write_text(log)
    (run / "metrics.jsonl").write_text("x" * 2_500_000)
    files = ["train.log", "metrics.jsonl"]
    with snapshot(LimitedShell(40), str(run), ["best.pt"], files=files, rules=RULES) as held:
        assert held.checkpoints["best.pt"].in_place
        assert held.texts == {"train.log": log}
        assert held.files["train.log"].sha256 == sha256(log.encode())
        assert held.refused["metrics.jsonl"].kind == "too_large"


def test_a_growing_log_is_cut_at_its_size(tmp_path: Path) -> None:
    run = make_weights(tmp_path / "run", best=DATA)
    log = run / "train.log"
    stop = threading.Event()

    def grow() -> None:
        with log.open("ab", buffering=0) as file:
            while not stop.is_set():
                file.write(b"a line of the log\n")

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        wait_until(lambda: log.exists() and log.stat().st_size > 10_000)
        with snapshot(LocalShell(), str(run), [], files=["train.log"]) as held:
            taken = held.files["train.log"]
            copy = Path(taken.path).read_bytes()
    finally:
        stop.set()
        writer.join()
    assert len(copy) == taken.size >= 10_000
    assert sha256(copy) == taken.sha256
    assert log.read_bytes().startswith(copy)


def test_a_full_disk_means_in_place(tmp_path: Path) -> None:
    run = make_weights(tmp_path / "run", best=DATA)
    with snapshot(LimitedShell(40), str(run), ["best.pt"], rules=RULES) as held:
        taken = held.checkpoints["best.pt"]
        assert taken.in_place
        assert taken.path == str(run / "weights" / "best.pt")
        assert held.confirm(taken)
        put(run / "weights" / "best.pt", DATA, age=10)
        assert not held.confirm(taken)
    assert leftovers(run) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    mount = tmp_path / "disk"
    mount.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={3 * len(DATA) // 2}", "tmpfs"]
    if subprocess.run(["mount", *options, str(mount)], capture_output=True).returncode:
        pytest.skip("no file system may be mounted here")
    yield mount
    subprocess.run(["umount", "-l", str(mount)], check=True)


def test_a_disk_that_is_really_full(small_disk: Path) -> None:
    run = make_weights(small_disk / "run", best=DATA)
    with snapshot(LocalShell(), str(run), ["best.pt"], rules=RULES) as held:
        assert held.checkpoints["best.pt"].in_place
        assert held.checkpoints["best.pt"].sha256 == sha256(DATA)
    assert leftovers(run) == []


def test_the_follower_takes_no_snapshot_for_a_checkpoint(tmp_path: Path) -> None:
    run = make_weights(tmp_path / "runs" / "run1", best=DATA)
    (run / "metrics.jsonl").write_text('{"epoch": 1}\n')
    with snapshot(LocalShell(), str(run), ["best.pt"], rules=RULES):
        assert len(leftovers(run)) == 1
        link = LocalLink(LocalTarget(tmp_path / "runs"))
        facts = list(link.open(FollowRequest((str(tmp_path / "runs"),), once=True)))
        assert [one.name for one in list_weights(LocalShell(), str(run))] == ["best.pt"]
    told = [fact for fact in facts if isinstance(fact, Checkpoints)]
    assert [[one.name for one in fact.files] for fact in told] == [["best.pt"]]


@pytest.mark.parametrize(
    "reply",
    [
        '{"re":1,"checkpoint":{"name":"evil.pt"}}',
        '{"re":1,"checkpoint":{"name":"best.pt","size":"1","sha256":"","identity":{},"path":""}}',
        '{"re":1,"done":{"snapshot":"00"}}',
        '{"data":3}\nabc',
    ],
)
def test_a_box_that_answers_nonsense(reply: str) -> None:
    shell = ScriptedShell('{M}{"hello":1}\n', "{M}" + reply + "\n", '{M}{"re":1,"done":{}}\n')
    with pytest.raises(ActionError) as raised, snapshot(shell, "/run", ["best.pt"]):
        pass
    assert raised.value.kind == "protocol"


def follow(link: SshLink, root: Path) -> threading.Thread:
    """Keep a link alive on a thread of its own, as the watch does."""
    live = threading.Event()

    def run() -> None:
        for fact in link.open(FollowRequest((str(root),))):
            if isinstance(fact, (Hello, Settled)):
                live.set()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert live.wait(30)
    return thread


@pytest.mark.sshd
@pytest.mark.parametrize("options", [(), ("MaxSessions 1",)], ids=["shared", "one session"])
def test_a_live_link_is_used_where_its_server_allows(
    options: tuple[str, ...], make_sshd: MakeServer, home: Path
) -> None:
    server = make_sshd(options=options)
    introduce(server, home)
    run = make_weights(server.home / "runs" / "run1", best=DATA)
    link = SshLink(server.target, Person())
    thread = follow(link, run.parent)
    shell = make_shell(server.target, Person(), link)
    assert isinstance(shell, LinkShell)
    try:
        for _ in range(2):
            assert [one.name for one in list_weights(shell, str(run))] == ["best.pt"]
        assert len(server.connections()) == (2 if options else 1)
        with (
            snapshot(shell, str(run), ["best.pt"], rules=RULES) as held,
            snapshot(shell, str(run), ["best.pt"], rules=RULES) as other,
        ):
            assert held.number != other.number
            assert held.checkpoints["best.pt"].sha256 == sha256(DATA)
    finally:
        shell.close()
        link.close()
        thread.join(20)
    assert not thread.is_alive()


@pytest.mark.sshd
def test_a_link_that_is_down_is_no_obstacle(ssh_box: SshServer, tmp_path: Path) -> None:
    run = make_weights(tmp_path / "run", best=DATA)
    shell = make_shell(ssh_box.target, Person(), SshLink(ssh_box.target, Person()))
    assert [one.name for one in list_weights(shell, str(run))] == ["best.pt"]
    shell.close()


@pytest.mark.sshd
def test_what_only_ssh_can_reach(sshd: SshServer, home: Path, tmp_path: Path) -> None:
    trust(sshd, home)
    (home / ".ssh" / "config").write_text("Host *\n  BindAddress 127.0.0.1\n")
    run = make_weights(tmp_path / "run", best=DATA)
    shell = SshShell(sshd.target, Person())
    assert [one.name for one in list_weights(shell, str(run))] == ["best.pt"]
    assert shell.lanes > 1
    shell.close()


def test_a_recording_runs_no_commands(tmp_path: Path) -> None:
    for target in (RecordingTarget(tmp_path), LocalTarget(tmp_path, mirror=True)):
        with pytest.raises(ActionError, match="runs no commands"):
            make_shell(target, Person())
    assert isinstance(make_shell(LocalTarget(tmp_path), Person()), LocalShell)
