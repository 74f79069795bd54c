"""A python without the client goes on in one that has it, with the same connection."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.hub import Hub, hub_fixture  # noqa: F401
from tests.hub.accounts import Json
from tests.hub.program import MARKER, pushes, request, snapshot
from tests.waiting import wait_until
from tui.links.request import BOOT
from tui.onbox import hub_elsewhere

ROOT = Path(__file__).parents[2]
VERSION = importlib.metadata.version("huggingface_hub")


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A python of its own, with nothing installed."""
    venv.create(tmp_path / "bare", with_pip=False)
    return tmp_path / "bare/bin/python"


def done(line: list[str], given: bytes) -> Json:
    """Run a program and return what its last reply holds."""
    process = subprocess.Popen(line, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(given)
        process.stdin.flush()
        for text in process.stdout:
            if text.startswith(f"@@{MARKER} ".encode()):
                reply = json.loads(text.split(b" ", 1)[1])
                if "done" in reply:
                    answer: Json = reply["done"]
                    return answer
    raise AssertionError("no answer")


def line_of(asked: Json) -> bytes:
    return json.dumps({"marker": MARKER, "pythons": [sys.executable], **asked}).encode() + b"\n"


def test_it_goes_on_where_the_client_is(hub: Hub, bare: Path, tmp_path: Path) -> None:
    program = [str(bare), "-m", "tui.onbox.hub"]
    assert done(program, line_of(request(hub, "check")))["check"]["client"] == VERSION
    pushed = done(program, line_of(request(hub, "push", files=snapshot(tmp_path), job="j1")))
    assert pushed["result"]["ok"] is True
    assert (pushes() / "j1" / "result.json").exists()


def test_it_does_so_as_it_is_sent_to_a_box(hub: Hub, bare: Path) -> None:
    program = pytest.importorskip("tui.actions.program").program_input("hub")
    started = [str(bare), "-S", "-E", "-u", "-c", BOOT]
    reply = done(started, program + b"\n" + line_of(request(hub, "check")))
    assert reply["check"]["client"] == VERSION


def test_the_python_that_trains_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python3").symlink_to(sys.executable)
    environment = {**os.environ, "VIRTUAL_ENV": str(tmp_path)}
    with subprocess.Popen(["sleep", "60"], env=environment) as training:
        place = Path(f"/proc/{training.pid}")
        wait_until(lambda: (place / "environ").read_bytes(), what="a program that was begun whole")
        found = hub_elsewhere._of_process(place)
        training.kill()
    assert found == [f"{tmp_path}/bin/python3"]
    assert hub_elsewhere._of_process(Path("/proc/0")) == []


def test_one_without_the_client_is_passed_over(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_elsewhere, "_candidates", lambda first: iter(first))
    beats: list[int] = []
    assert hub_elsewhere.elsewhere([str(bare), "/nowhere/python3"], lambda: beats.append(1)) is None
    assert beats == [1]
    assert hub_elsewhere.elsewhere([sys.executable], lambda: None) is None  # it is this one


@pytest.mark.parametrize("text", [None, "raise ImportError('half of it')"])
def test_packages_that_do_not_work_hide_no_other_python(
    hub: Hub, bare: Path, text: str | None
) -> None:
    packages = Path.home() / ".cache/boxtop/packages"
    packages.mkdir(parents=True)
    if text is not None:
        (packages / "huggingface_hub").mkdir()
        (packages / "huggingface_hub/__init__.py").write_text(text)
    program = [str(bare), "-m", "tui.onbox.hub"]
    assert done(program, line_of(request(hub, "check")))["check"]["client"] == VERSION
