"""What is no file in a file's place is never opened, costs itself alone, and is said to be so."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.links.boxes import Kind, follow, make_kind
from tests.links.runs_on_disk import append, make_run, write_status
from tui.facts import FileWhole, Settled
from tui.runs import files

NO_FILE = "not a regular file"


def make_socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # a socket's whole path may have 108 bytes
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(here)


def link_to_fifo(path: Path) -> None:
    os.mkfifo(path.parent.parent / "fifo")
    path.symlink_to(path.parent.parent / "fifo")


ODD: dict[str, Callable[[Path], None]] = {
    "fifo": lambda path: os.mkfifo(path),
    "socket": make_socket,
    "directory": lambda path: path.mkdir(),
    "device": lambda path: path.symlink_to("/dev/zero"),
    "terminal": lambda path: path.symlink_to("/dev/ptmx"),
    "link": link_to_fifo,
}


@pytest.fixture(params=["python", "dash", "busybox", "fewest"])
def any_kind(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Kind:
    return make_kind(request.param, tmp_path_factory.mktemp("box"))


@pytest.mark.parametrize("odd", ODD)
def test_a_status_that_is_no_file_is_its_runs_trouble_alone(
    any_kind: Kind, tmp_path: Path, odd: str
) -> None:
    strange, well = tmp_path / "runs" / "strange", make_run(tmp_path / "runs", "well")
    strange.mkdir()
    ODD[odd](strange / files.STATUS)
    with follow(any_kind, tmp_path / "runs") as box:
        box.until_fact(Settled)
        trouble = box.received.troubles[str(strange), files.STATUS]
        assert (trouble.error, trouble.stat) == (NO_FILE, None)
        assert box.received.data(well, files.STATUS)


@pytest.mark.parametrize("kind", ["python", "dash"])
def test_a_status_that_becomes_a_file_is_read(kind: str, tmp_path: Path) -> None:
    strange = tmp_path / "runs" / "strange"
    strange.mkdir(parents=True)
    os.mkfifo(strange / files.STATUS)
    (tmp_path / "box").mkdir()
    box_kind = make_kind(kind, tmp_path / "box")
    with follow(box_kind, tmp_path / "runs") as box:
        box.until_fact(Settled)
        assert box.received.troubles
        (strange / files.STATUS).rename(tmp_path / "away")
        status = write_status(strange, current_epoch=3)
        box.until(lambda fact: isinstance(fact, FileWhole) and fact.data == status)
        assert not box.received.troubles


@pytest.mark.parametrize("name", [files.METRICS, files.RESULTS, files.LOG, files.CONFIG])
def test_any_file_of_a_run_may_be_none(any_kind: Kind, tmp_path: Path, name: str) -> None:
    run = make_run(tmp_path / "runs", "run1")
    os.mkfifo(run / name)
    with follow(any_kind, tmp_path / "runs") as box:
        box.until_fact(Settled)
        assert box.received.troubles[str(run), name].error == NO_FILE
        (run / name).unlink()
        append(run / name, b"a line\n")
        box.until_received(lambda received: received.data(run, name) == b"a line\n")
        assert not box.received.troubles


def test_a_file_that_becomes_none_and_is_one_again_goes_on(any_kind: Kind, tmp_path: Path) -> None:
    run = make_run(tmp_path / "runs", "run1")
    append(run / files.METRICS, b"one\n")
    with follow(any_kind, tmp_path / "runs") as box:
        box.until_fact(Settled)
        (run / files.METRICS).rename(run / "aside")
        os.mkfifo(run / files.METRICS)
        box.until_received(lambda received: bool(received.troubles))
        (run / files.METRICS).unlink()
        append(run / "aside", b"two\n")
        (run / "aside").rename(run / files.METRICS)
        box.until_received(lambda received: not received.troubles)
        box.until_received(lambda received: received.data(run, files.METRICS) == b"one\ntwo\n")


@pytest.mark.parametrize("name", ["..x", "...", "..run 1", ".x"])
def test_names_that_begin_with_dots_are_found(any_kind: Kind, tmp_path: Path, name: str) -> None:
    run = make_run(tmp_path / "runs" / name, "run1")
    with follow(any_kind, tmp_path / "runs") as box:
        box.until_fact(Settled)
        assert [found.id for found in box.received.runs.values()] == [f"{name}/run1"]
        assert box.received.data(run, files.STATUS)
