"""The command line and the input that start a follower, on boxes of any make."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.links.runs_on_disk import make_run
from tui.facts import Fact, Hello, Settled
from tui.links import follower, request
from tui.links.base import FollowRequest, ResumeToken
from tui.links.pipe import FollowerPipe
from tui.links.process_pipe import ProcessPipe
from tui.links.request import PLACES, command, new_marker, python_input
from tui.links.shell_input import sh_input, shell_quoted

LOGIN_SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "fish", "csh", "tcsh")
OLD_PYTHONS = sorted(Path("/root/.pyenv/versions").glob("3.[6-9].*/bin/python3"))


def look(arguments: Sequence[str], marker: str, runs: Path, path: str) -> list[Fact]:
    """Start a command as a box would, and look once at the runs."""
    pipe = ProcessPipe(arguments, {"PATH": path, "HOME": str(runs.parent)})
    try:
        looker = FollowerPipe(pipe, FollowRequest(roots=("~/runs",), once=True), marker)
        looker.start()
        return list(looker.facts())
    finally:
        pipe.close()


def hello_of(facts: list[Fact]) -> Hello:
    assert isinstance(facts[0], Hello)
    assert isinstance(facts[-1], Settled)
    return facts[0]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    make_run(tmp_path / "runs", "run1")
    return tmp_path / "runs"


@pytest.mark.parametrize("name", LOGIN_SHELLS)
def test_the_command_starts_under_any_login_shell(name: str, runs: Path) -> None:
    shell = shutil.which(name)
    if shell is None:
        pytest.skip(f"{name} is not installed")
    marker = new_marker()
    facts = look([shell, "-c", command(marker)], marker, runs, os.environ["PATH"])
    assert hello_of(facts).follower == "python"


def test_the_command_has_nothing_that_a_shell_could_take_apart() -> None:
    text = command("0123456789abcdef")
    inner = text.removeprefix("exec /bin/sh -c '").removesuffix("'")
    assert len(text) == len(inner) + len("exec /bin/sh -c ''")
    assert not set(inner) & set("'\\!\n")
    assert len(text) < 1000, "old csh takes no longer words"


def test_what_the_command_says_never_looks_like_a_frame() -> None:
    marker = new_marker()
    wanted = FollowRequest(roots=("/root/runs",))
    echoed = command(marker).encode() + python_input(wanted, marker)
    assert b"@@" + marker.encode() not in echoed


def test_the_first_part_fits_the_first_flight_of_a_connection() -> None:
    first = python_input(FollowRequest(roots=("/root/runs",)), new_marker()).split(b"\n")
    assert len(first[0]) + len(first[1]) < 10 * 1448


class Bare(ast.NodeTransformer):
    """Takes docstrings and annotations out of a program."""

    def visit(self, node: ast.AST) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
            node.body = [part for part in node.body if not is_text(part)]
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            for argument in node.args.args:
                argument.annotation = None
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            return ast.Assign([node.target], node.value)
        return node


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def test_what_is_sent_is_the_program_without_what_only_people_read() -> None:
    folder = Path(follower.__file__).parent
    first, later = request._sources()
    sent = {name: text for name, text in {**first, **later}.items() if text}
    assert len(sent) == len(list(folder.glob("*.py"))) - 1
    for name, text in sent.items():
        original = (folder / f"{name.rpartition('.')[2]}.py").read_text()
        assert ast.dump(Bare().visit(ast.parse(text))) == ast.dump(
            Bare().visit(ast.parse(original))
        )
        assert len(text) < 0.9 * len(original)


@pytest.mark.parametrize("python", OLD_PYTHONS, ids=lambda path: path.parent.parent.name)
def test_old_pythons_run_the_follower(python: Path, runs: Path) -> None:
    marker = new_marker()
    line = command(marker, (str(python),))
    assert hello_of(look(["/bin/sh", "-c", line], marker, runs, "/usr/bin:/bin")).follower == (
        "python"
    )


def executable(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    "fake",
    [
        "#!/bin/sh\necho 'pyenv: python3: command not found' >&2\nexit 127\n",
        "#!/bin/sh\nexit 0\n",
    ],
    ids=["a shim without a version", "a shim that says nothing"],
)
def test_a_broken_shim_is_passed_over(fake: str, runs: Path, tmp_path: Path) -> None:
    shims = tmp_path / "shims"
    shims.mkdir()
    executable(shims / "python3", fake)
    marker = new_marker()
    line = command(marker, ("python3", sys.executable))
    facts = look(["/bin/sh", "-c", line], marker, runs, f"{shims}:/usr/bin:/bin")
    assert hello_of(facts).follower == "python"


def test_a_python_2_called_python_is_passed_over(runs: Path, tmp_path: Path) -> None:
    executable(tmp_path / "python", "#!/bin/sh\necho 'SyntaxError: invalid syntax' >&2\nexit 1\n")
    marker = new_marker()
    line = command(marker, ("python",))
    facts = look(["/bin/sh", "-c", line], marker, runs, f"{tmp_path}:/usr/bin:/bin")
    assert hello_of(facts).follower == "sh"


def test_a_python_that_is_too_old_hands_over_to_the_shell(runs: Path, tmp_path: Path) -> None:
    lies = "import sys; sys.version_info = (3, 5, 2); exec(sys.argv[-1])"
    old = executable(tmp_path / "python3", f"#!{sys.executable}\n{lies}\n")
    marker = new_marker()
    line = command(marker, (str(old),))
    facts = look(["/bin/sh", "-c", line], marker, runs, "/usr/bin:/bin")
    assert hello_of(facts).follower == "sh"


def test_a_box_without_any_python_is_followed_by_its_shell(runs: Path) -> None:
    marker = new_marker()
    line = command(marker, ("no-such-python",))
    facts = look(["/bin/sh", "-c", line], marker, runs, "/usr/bin:/bin")
    assert hello_of(facts).follower == "sh"
    assert hello_of(facts).missing_tools == ()


def test_noise_around_the_follower_is_dropped(runs: Path) -> None:
    marker = new_marker()
    noisy = f"echo motd; echo '(base) conda'; {{ sleep 0.1; echo late; }} & {command(marker)}"
    facts = look(["/bin/sh", "-c", noisy], marker, runs, os.environ["PATH"])
    assert hello_of(facts).follower == "python"


def test_the_python_places_hold_both_names() -> None:
    assert "python3" in PLACES
    assert PLACES[-1] == "python"


@pytest.mark.parametrize(
    "text", ["", "a b", "it's", "$(touch x)", "`x`", '"', "new\nline", "back\\slash", "''", "-rf"]
)
def test_quoted_text_is_one_word_for_a_shell(text: str) -> None:
    answer = subprocess.run(
        ["/bin/sh", "-c", f"printf %s. {shell_quoted(text)}"], capture_output=True, check=True
    )
    assert answer.stdout == text.encode() + b"."


def test_a_great_many_tokens_still_fit_a_command_line() -> None:
    token = ResumeToken(10**9, 10**6, 10**9, "a" * 64, 256, "b" * 64, 64)
    resume = {(f"/root/runs/run{number}", "metrics.jsonl"): token for number in range(2000)}
    assert len(sh_input(FollowRequest(("/r",), resume), new_marker())) < 128 * 1024
