"""What runs on boxes needs Python 3.8 and nothing else."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from tests.onbox.checkpoints import checkpoint, make_weights, sha256
from tui.actions.program import FOLDER
from tui.actions.shell import LocalShell
from tui.actions.snapshot import Rules, list_weights, snapshot
from tui.links.pipe import Pipe
from tui.links.process_pipe import ProcessPipe
from tui.links.request import PLACES

MODULES = sorted(path for path in FOLDER.glob("*.py") if not path.name.startswith("hub"))
PYTHONS = sorted(Path("/root/.pyenv/versions").glob("3.*/bin/python3"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_a_module_is_old_python_and_imports_the_standard_library_alone(path: Path) -> None:
    tree = ast.parse(path.read_text(), feature_version=(3, 8))
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        for name in names:
            top = name.partition(".")[0]
            assert name.startswith("tui.onbox") or top in sys.stdlib_module_names, name


class OtherPython(LocalShell):
    """This machine with another python than ours."""

    def __init__(self, python: Path) -> None:
        super().__init__()
        self._python = python

    def run(self, command_line: str, bulk: bool = False) -> Pipe:
        places = " ".join(f'"{place}"' for place in PLACES)
        command_line = command_line.replace(places, f'"{self._python}"')
        return ProcessPipe(["/bin/sh", "-c", command_line])


@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: path.parents[1].name)
def test_the_program_runs_with_each_python(python: Path, tmp_path: Path) -> None:
    data = checkpoint()
    run = make_weights(tmp_path / "run", best=data)
    shell = OtherPython(python)
    if tuple(map(int, python.parents[1].name.split(".")[:2])) < (3, 8):
        with pytest.raises(Exception, match="no usable python3"):
            list_weights(shell, str(run))
        return
    assert [(one.name, one.complete) for one in list_weights(shell, str(run))] == [
        ("best.pt", True)
    ]
    with snapshot(shell, str(run), ["best.pt"], rules=Rules(spare=0)) as taken:
        assert taken.checkpoints["best.pt"].sha256 == sha256(data)
        assert not taken.checkpoints["best.pt"].in_place


def test_a_box_without_python_says_so(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="no usable python3"):
        list_weights(OtherPython(Path("/nowhere/python3")), str(tmp_path))
