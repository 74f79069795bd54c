"""A program on the box: started under noise, believed in nothing, ended when nobody asks."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import MakeServer, introduce
from tests.links.person import Person
from tests.onbox.checkpoints import checkpoint, leftovers, make_weights
from tests.onbox.shells import ScriptedShell
from tests.sshd import SshServer
from tests.waiting import wait_until
from tui.actions.errors import ActionError
from tui.actions.program import Program, program_input
from tui.actions.replies import MAX_LINE, Data, Decoder, Message
from tui.actions.shell import HereShell, SshShell
from tui.actions.snapshot import list_weights, snapshot
from tui.links.base import LinkError
from tui.links.process_pipe import ProcessPipe
from tui.links.request import command
from tui.onbox.places import Identity

STREAM = (
    b'Welcome!\nno newline@@abc {"hello":1}\n@@abc {"data":5}\n@@abc@@abc {"re":1}\n'
    b'a stray line\n@@abc {"data":0}\n@@abc {"done":{}}\n'
)


def taken_apart(*pieces: bytes) -> tuple[list[dict[str, object]], bytes]:
    decoder = Decoder("abc")
    replies = [reply for piece in pieces for reply in decoder.feed(piece)]
    messages = [reply.values for reply in replies if isinstance(reply, Message)]
    return messages, b"".join(reply.payload for reply in replies if isinstance(reply, Data))


@given(st.lists(st.integers(0, len(STREAM)), max_size=8))
def test_replies_are_the_same_however_they_are_cut(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(STREAM)]
    pieces = [STREAM[start:end] for start, end in itertools.pairwise(edges)]
    assert taken_apart(*pieces) == ([{"hello": 1}, {"re": 1}, {"done": {}}], b"@@abc")


@pytest.mark.parametrize(
    "line",
    [
        b"@@abc nonsense\n",
        b"@@abc []\n",
        b'@@abc {"data":-1}\n',
        b'@@abc {"data":1e9}\n',
        b'@@abc {"data":99999999999}\n',
        b'@@abc {"data":true}\n',
        b"@@abc " + b"[" * 100_000 + b"\n",
        b'@@abc {"hello":1}\n' + b"x" * (MAX_LINE + 1),
    ],
)
def test_replies_that_make_no_sense_are_an_error(line: bytes) -> None:
    with pytest.raises(ActionError) as raised:
        taken_apart(line)
    assert raised.value.kind == "protocol"


def test_noise_without_end_costs_no_memory() -> None:
    decoder = Decoder("abc")
    for _ in range(40):
        assert list(decoder.feed(b"x" * 100_000)) == []
    assert len(decoder._buffer) <= MAX_LINE


class Clock:
    def __init__(self, step: float) -> None:
        self._now = 0.0
        self._step = step

    def __call__(self) -> float:
        self._now += self._step
        return self._now


def test_a_box_that_never_starts_the_program() -> None:
    program = Program(ScriptedShell(), "weights", {"op": "list"}, clock=Clock(1.0))
    with pytest.raises(ActionError, match="did not start a program") as raised:
        program.result(program.first, 1000.0)
    assert raised.value.kind == "timeout"


def test_a_box_that_falls_silent() -> None:
    shell = ScriptedShell('{M}{"hello":1}\n')
    program = Program(shell, "weights", {"op": "list"}, clock=Clock(1.0))
    with pytest.raises(ActionError, match="no sign of life") as raised:
        program.result(program.first, 1000.0)
    assert raised.value.kind == "lost"


def test_a_box_that_beats_and_never_finishes() -> None:
    shell = ScriptedShell('{M}{"hello":1}\n', *['{M}{"beat":1}\n'] * 100)
    program = Program(shell, "weights", {"op": "list"}, clock=Clock(1.0))
    with pytest.raises(ActionError, match="did not finish") as raised:
        program.result(program.first, 30.0)
    assert raised.value.kind == "timeout"


def test_a_login_that_says_something_else() -> None:
    shell = ScriptedShell("This account is currently not available.\n", "")
    with pytest.raises(ActionError, match="may not run commands") as raised:
        list_weights(shell, "/run")
    assert raised.value.kind == "no_exec"


def test_a_box_cannot_write_to_the_terminal() -> None:
    error = {"kind": "x", "message": "\x1b[31mred\x1b]0;t\x07 hf_abcdefgh12345\nnext"}
    shell = ScriptedShell('{M}{"hello":1}\n', '{M}{"re":1,"error":' + json.dumps(error) + "}\n")
    with pytest.raises(ActionError) as raised:
        list_weights(shell, "/run")
    assert raised.value.kind == "protocol"
    assert str(raised.value) == "red hf_***\\nnext"


def test_names_travel_in_the_request_alone(tmp_path: Path) -> None:
    shell = ScriptedShell('{M}{"hello":1}\n', '{M}{"re":1,"done":{}}\n')
    name = "-rf $(touch pwned) 'quote' \"two\" \n.pt"
    assert list_weights(shell, f"/runs/{name}") == []
    request = json.loads(shell.received.splitlines()[1])
    assert request["run"] == f"/runs/{name}"
    assert "pwned" not in command(request["marker"])


def test_this_machine_needs_no_other_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    run = make_weights(tmp_path / "run", best=checkpoint())
    assert [one.name for one in list_weights(HereShell(), str(run))] == ["best.pt"]


def test_only_what_a_program_imports_is_sent() -> None:
    import binascii
    import zlib

    text = zlib.decompress(binascii.a2b_base64(program_input("weights"))).decode()
    assert "'tui.onbox.archive'" in text
    assert "tui.onbox.hub" not in text


def ask_for_ever(program: Program) -> None:
    """Ask until the program is found gone."""
    while True:
        program.result(program.ask({"op": "hello"}), 30)


@pytest.mark.sshd
def test_a_noisy_login_does_not_matter(
    make_sshd: MakeServer, home: Path, ssh_directory: Path
) -> None:
    server = make_sshd()
    introduce(server, home)
    (server.home / ".bashrc").write_text("echo welcome; printf '@@ {\"hello\":1} no newline'\n")
    run = make_weights(server.home / "run", best=checkpoint())
    shell = SshShell(server.target, Person())
    assert [one.name for one in list_weights(shell, str(run))] == ["best.pt"]
    shell.close()


@pytest.mark.sshd
def test_a_box_that_vanishes_leaves_nothing_that_looks_like_a_checkpoint(
    make_sshd: MakeServer, home: Path
) -> None:
    server = make_sshd()
    introduce(server, home)
    run = make_weights(server.home / "run", best=checkpoint())
    shell = SshShell(server.target, Person())
    with (
        pytest.raises(ActionError) as raised,
        snapshot(shell, str(run), ["best.pt"]) as held,
    ):
        server.kill_connections()
        ask_for_ever(held.program)
    assert raised.value.kind == "lost"
    assert leftovers(run) == [f".boxtop-{held.number}"]
    assert [one.name for one in list_weights(shell, str(run))] == ["best.pt"]
    with snapshot(shell, str(run), ["best.pt"]) as again:
        assert leftovers(run) == [f".boxtop-{again.number}"]
    assert leftovers(run) == []
    shell.close()


@pytest.mark.sshd
def test_a_program_ends_and_cleans_up_when_its_connection_ends(
    sshd: SshServer, home: Path, tmp_path: Path
) -> None:
    introduce(sshd, home)
    run = make_weights(tmp_path / "run", best=checkpoint())
    shell = SshShell(sshd.target, Person())
    with pytest.raises(ActionError), snapshot(shell, str(run), ["best.pt"]) as held:
        assert leftovers(run) == [f".boxtop-{held.number}"]
        shell.close()
        ask_for_ever(held.program)
    wait_until(lambda: leftovers(run) == [], what="the snapshot goes")


def start_by_hand(request: dict[str, object]) -> ProcessPipe:
    """Start the program as a box would, with a caller that says nothing more."""
    marker = "00112233"
    pipe = ProcessPipe(["/bin/sh", "-c", command(marker)])
    document = {**request, "marker": marker, "silence": 0.2, "id": 1}
    pipe.write(program_input("weights") + b"\n" + json.dumps(document).encode() + b"\n")
    return pipe


def test_a_program_ends_after_silence() -> None:
    pipe = start_by_hand({"op": "hello"})
    wait_until(lambda: pipe.exit_status is not None, 30, "the program ends by itself")
    assert pipe.exit_status == 0


def test_a_program_that_nobody_reads_from_ends_after_silence(tmp_path: Path) -> None:
    run = make_weights(tmp_path / "run", best=checkpoint(1_000_000))
    identity = Identity.of((run / "weights" / "best.pt").stat())._asdict()
    request = {"op": "read", "run": str(run), "name": "best.pt", "identity": identity}
    pipe = start_by_hand({**request, "offset": 0, "length": 1_000_000})
    wait_until(lambda: pipe.exit_status is not None, 30, "the program ends by itself")
    assert pipe.exit_status == 1


@pytest.mark.sshd
def test_a_shell_that_was_closed_runs_nothing(sshd: SshServer, home: Path) -> None:
    introduce(sshd, home)
    shell = SshShell(sshd.target, Person())
    shell.close()
    with pytest.raises(ActionError) as raised:
        list_weights(shell, "/run")
    assert raised.value.kind == "cancelled"


@pytest.mark.sshd
def test_a_box_that_is_not_there(sshd: SshServer, home: Path) -> None:
    from dataclasses import replace

    shell = SshShell(replace(sshd.target, port=1), Person())
    with pytest.raises(ActionError) as raised:
        list_weights(shell, "/run")
    assert raised.value.kind == "unreachable"
    assert ActionError.of_link(LinkError("hostkey_changed", "x", "y")).kind == "auth"
