"""Pulls: what gets its name is, byte for byte, one whole version of what lay on the box.

This is case FILE-19, and what cases HF-01 and HF-02 ask of pulls.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import introduce, trust
from tests.links.person import Person
from tests.onbox.checkpoints import checkpoint, leftovers, make_weights, put, rewriting, sha256
from tests.onbox.shells import LimitedShell, SpiedShell
from tests.relay import Relay
from tests.sshd import SshServer
from tests.waiting import wait_until
from tui.actions import pull as pulling
from tui.actions import pull_lanes
from tui.actions.cancel import Cancel
from tui.actions.errors import ActionError
from tui.actions.progress import Progress
from tui.actions.pull import pull, pull_one
from tui.actions.shell import LocalShell, SshShell
from tui.actions.snapshot import Rules

OLD, NEW = checkpoint(300_000, 1), checkpoint(300_000, 2)
RULES = Rules(settle=0.05, patience=5.0, spare=0)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pull_lanes, "BLOCK_BYTES", 40_000)
    monkeypatch.setattr(pull_lanes, "GROW_SECONDS", 0.0)
    monkeypatch.setattr(pull_lanes, "SLOW_RATE", 1e12)
    monkeypatch.setattr(pulling, "PAUSE_SECONDS", 0.01)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make_weights(tmp_path / "run", best=OLD, last=NEW)


@pytest.fixture
def shell(ssh_box: SshServer) -> Iterator[SshShell]:
    shell = SshShell(ssh_box.target, Person())
    yield shell
    shell.close()


def names(directory: Path) -> list[str]:
    return sorted(entry.name for entry in directory.iterdir())


@pytest.mark.sshd
def test_checkpoints_come_whole(shell: SshShell, run: Path, tmp_path: Path) -> None:
    put(run / "weights" / "epoch_7.pt", OLD)
    told: list[Progress] = []
    report = pull(
        shell, str(run), ["best.pt", "last.pt", "epoch_7.pt"], tmp_path / "a" / "to",
        tell=told.append, rules=RULES,
    )  # fmt: skip
    assert report.failed == {}
    assert [one.sha256 for one in report.pulled] == [sha256(OLD), sha256(NEW), sha256(OLD)]
    best, last, seventh = report.pulled
    assert best.path == tmp_path / "a" / "to" / "best.pt"
    assert (best.path.read_bytes(), last.path.read_bytes()) == (OLD, NEW)
    source = (run / "weights" / "best.pt").stat()
    assert best.identity.mtime_ns == source.st_mtime_ns
    assert (best.identity.inode, best.identity.size) == (source.st_ino, len(OLD))
    assert seventh.epoch == 7
    assert names(tmp_path / "a" / "to") == ["best.pt", "epoch_7.pt", "last.pt"]
    assert leftovers(run) == []
    stages = {progress.stage for progress in told}
    assert {"asking for", "pulling", "checking"} <= stages
    assert [one.done for one in told if one.stage == "pulling"][-1] in (len(OLD), len(NEW))


@pytest.mark.sshd
def test_several_lanes_of_the_systems_ssh(
    sshd: SshServer, home: Path, run: Path, tmp_path: Path
) -> None:
    trust(sshd, home)
    (home / ".ssh" / "config").write_text("Host *\n  BindAddress 127.0.0.1\n")
    shell = SshShell(sshd.target, Person())
    found = pull_one(shell, str(run), "best.pt", tmp_path / "to", rules=RULES)
    assert shell.lanes > 1
    assert found.path.read_bytes() == OLD
    assert leftovers(run) == []
    shell.close()


def test_a_lane_that_breaks_leaves_its_work_to_others(run: Path, tmp_path: Path) -> None:
    class Breaking(SpiedShell):
        lanes = 3  # type: ignore[assignment]  # a constant here

    broken: list[bytes] = []

    def break_further_lanes(data: bytes) -> bytes:
        if shell.commands > 1 and b'"data":' in data and threading.current_thread() is not main:
            broken.append(data)
            return b""
        return data

    main = threading.current_thread()
    shell = Breaking(break_further_lanes)
    found = pull_one(shell, str(run), "best.pt", tmp_path / "to", rules=RULES)
    assert found.path.read_bytes() == OLD


@pytest.mark.sshd
def test_a_link_that_is_cut_is_taken_up_again(
    sshd: SshServer, home: Path, run: Path, tmp_path: Path
) -> None:
    large = checkpoint(6_000_000)
    put(run / "weights" / "best.pt", large)
    with Relay(sshd.port) as relay:
        introduce(sshd, home)
        with (home / ".ssh" / "known_hosts").open("a") as known_hosts:
            for line in sshd.known_host_lines.splitlines():
                known_hosts.write(f"[127.0.0.1]:{relay.port} {line.partition(' ')[2]}\n")
        shell = SshShell(replace(sshd.target, port=relay.port), Person())
        relay.cut_after(3_000_000)
        with pytest.raises(ActionError) as raised:
            pull_one(shell, str(run), "best.pt", tmp_path / "to", rules=RULES, tries=1)
        assert raised.value.kind == "lost"
        assert names(tmp_path / "to") == ["best.pt.part", "best.pt.part.json"]
        before = relay.bytes_to_client
        told: list[Progress] = []
        found = pull_one(shell, str(run), "best.pt", tmp_path / "to", tell=told.append, rules=RULES)
        assert found.path.read_bytes() == large
        assert relay.bytes_to_client - before < 4_500_000, "what had come was not asked for again"
        relay.cut_after(3_000_000)
        put(run / "weights" / "best.pt", checkpoint(6_000_000, 5))
        again = pull_one(shell, str(run), "best.pt", tmp_path / "to", rules=RULES)
        assert again.path.read_bytes() == checkpoint(6_000_000, 5)
        shell.close()
    assert names(tmp_path / "to") == ["best.pt"]


def test_a_part_of_other_bytes_is_no_beginning(run: Path, tmp_path: Path) -> None:
    to = tmp_path / "to"
    to.mkdir()
    (to / "best.pt.part").write_bytes(NEW[:200_000])
    note = {"size": len(NEW), "sha256": sha256(NEW), "done": [[0, 200_000]]}
    (to / "best.pt.part.json").write_text(json.dumps(note))
    assert pull_one(LocalShell(), str(run), "best.pt", to, rules=RULES).path.read_bytes() == OLD


class Changing(SpiedShell):
    """Rewrites the source in place while it is read, ``times`` times."""

    def __init__(self, path: Path, times: int) -> None:
        super().__init__(self._change)
        self._path = path
        self._left = times
        self._done = 0
        self._limit = "ulimit -f 200; "

    def _change(self, data: bytes) -> bytes:
        if b'"data":' in data and self.commands > self._done and self._left:
            self._done = self.commands
            self._left -= 1
            put(self._path, NEW, age=self._left + 5)
        return data

    def run(self, command_line: str, bulk: bool = False) -> object:  # type: ignore[override]
        return super().run(self._limit + command_line)


def test_a_source_that_changes_in_place_is_read_again(run: Path, tmp_path: Path) -> None:
    shell = Changing(run / "weights" / "best.pt", times=2)
    found = pull_one(shell, str(run), "best.pt", tmp_path / "to", rules=RULES)
    assert found.path.read_bytes() == NEW
    assert names(tmp_path / "to") == ["best.pt"]


def test_a_source_that_changes_every_time_fails_loudly(run: Path, tmp_path: Path) -> None:
    (tmp_path / "to").mkdir()
    (tmp_path / "to" / "best.pt").write_bytes(b"an older one")
    shell = Changing(run / "weights" / "best.pt", times=9)
    with pytest.raises(ActionError, match="changed") as raised:
        pull_one(shell, str(run), "best.pt", tmp_path / "to", rules=RULES)
    assert raised.value.kind == "changed"
    assert shell.commands == 3
    assert (tmp_path / "to" / "best.pt").read_bytes() == b"an older one"


def test_without_room_on_the_box_the_file_itself_is_read(run: Path, tmp_path: Path) -> None:
    found = pull_one(LimitedShell(100), str(run), "best.pt", tmp_path / "to", rules=RULES)
    assert found.path.read_bytes() == OLD


def test_bytes_that_arrive_damaged_never_get_the_name(run: Path, tmp_path: Path) -> None:
    place = OLD[150_000:150_040]
    shell = SpiedShell(lambda data: data.replace(place, place[::-1]))
    with pytest.raises(ActionError, match="arrived damaged") as raised:
        pull_one(shell, str(run), "best.pt", tmp_path / "to", rules=RULES)
    assert raised.value.kind == "damaged"
    assert shell.commands == 3
    assert names(tmp_path / "to") == ["best.pt.part"]


def test_failures_are_told_by_name_and_the_others_come(run: Path, tmp_path: Path) -> None:
    put(run / "weights" / "last.pt", NEW[:-30])
    asked = ["last.pt", "epoch_3.pt", "../best.pt", "best.pt"]
    report = pull(LocalShell(), str(run), asked, tmp_path / "to", rules=RULES)
    assert [one.name for one in report.pulled] == ["best.pt"]
    kinds = {name: error.kind for name, error in report.failed.items()}
    assert kinds == {"last.pt": "damaged", "epoch_3.pt": "missing", "../best.pt": "refused"}
    assert "no end record" in str(report.failed["last.pt"])
    assert report.failed["last.pt"].hint == "complete on the box: best.pt"
    assert names(tmp_path) == ["run", "to"]


def test_what_is_there_already_is_not_fetched_again(run: Path, tmp_path: Path) -> None:
    first = pull_one(LocalShell(), str(run), "best.pt", tmp_path / "to", rules=RULES)
    inode = first.path.stat().st_ino
    told: list[Progress] = []
    again = pull_one(
        LocalShell(), str(run), "best.pt", tmp_path / "to", tell=told.append, rules=RULES
    )
    assert again == first
    assert again.path.stat().st_ino == inode
    assert "pulling" not in {progress.stage for progress in told}
    assert names(tmp_path / "to") == ["best.pt"]


@pytest.mark.sshd
def test_a_pull_is_cancelled_from_another_thread(
    shell: SshShell, run: Path, tmp_path: Path
) -> None:
    put(run / "weights" / "best.pt", checkpoint(4_000_000))
    cancel = Cancel()
    began = threading.Event()

    def tell(progress: Progress) -> None:
        if progress.stage == "pulling":
            began.set()
            wait_until(lambda: cancel.cancelled, what="the other thread")

    thread = threading.Thread(target=lambda: (began.wait(30), cancel.cancel()))
    thread.start()
    with pytest.raises(ActionError) as raised:
        pull_one(shell, str(run), "best.pt", tmp_path / "to", tell=tell, cancel=cancel, rules=RULES)
    thread.join()
    assert raised.value.kind == "cancelled"
    assert "best.pt" not in names(tmp_path / "to")
    assert pull_one(shell, str(run), "best.pt", tmp_path / "to", rules=RULES).size > 4_000_000
    wait_until(lambda: leftovers(run) == [], what="the snapshots go")


def test_a_pull_that_waits_is_cancelled_too(run: Path, tmp_path: Path) -> None:
    put(run / "weights" / "best.pt", OLD, age=0)
    cancel = Cancel()

    def tell(progress: Progress) -> None:
        if progress.stage == "waiting for":
            cancel.cancel()

    with pytest.raises(ActionError) as raised:
        pull_one(
            LocalShell(), str(run), "best.pt", tmp_path / "to",
            tell=tell, cancel=cancel, rules=Rules(settle=60.0, spare=0),
        )  # fmt: skip
    assert raised.value.kind == "cancelled"
    wait_until(lambda: leftovers(run) == [], what="the snapshots go")


@pytest.mark.sshd
def test_under_a_rewriter_every_pull_is_one_of_its_versions(
    shell: SshShell, tmp_path: Path
) -> None:
    run = make_weights(tmp_path / "run")
    whole = {sha256(OLD), sha256(NEW)}
    pulled = 0
    with rewriting(run / "weights" / "best.pt", [OLD, NEW], 0.001, 30_000, 0.15):
        while pulled < 5:
            try:
                found = pull_one(shell, str(run), "best.pt", tmp_path / "to", rules=RULES)
            except ActionError as error:
                assert error.kind == "changed"
                continue
            pulled += 1
            assert found.sha256 in whole
            assert sha256(found.path.read_bytes()) == found.sha256


def test_a_file_that_is_no_copy_of_this_run_is_not_replaced(run: Path, tmp_path: Path) -> None:
    there = tmp_path / "to" / "best.pt"
    there.parent.mkdir()
    there.write_bytes(NEW)
    with pytest.raises(ActionError, match="no copy of this run's") as caught:
        pull_one(
            LocalShell(),
            str(run),
            "best.pt",
            there.parent,
            rules=RULES,
            may_replace=lambda path: False,
        )
    assert caught.value.kind == "refused"
    assert there.read_bytes() == NEW
    found = pull_one(
        LocalShell(),
        str(run),
        "best.pt",
        there.parent,
        rules=RULES,
        may_replace=lambda path: path == there,
    )
    assert found.path.read_bytes() == OLD
    again = pull_one(
        LocalShell(),
        str(run),
        "best.pt",
        there.parent,
        rules=RULES,
        may_replace=lambda path: False,
    )
    assert again.sha256 == sha256(OLD)
