"""A follower at the end of a pipe: pings, silence, slow lines, and ends of every kind."""

from __future__ import annotations

import array
import fcntl
import sys
import termios
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.links.boxes import Kind, follow, make_kind
from tests.links.runs_on_disk import append, make_run, write_status
from tests.waiting import wait_until
from tui.facts import Beat, FileBytes, FileWhole, Hello, Settled
from tui.links.base import DEADLINE_SECONDS, FollowRequest, LinkError
from tui.links.follower.wire import frame
from tui.links.pipe import LOGIN_SECONDS, NOISE_SECONDS, START_SECONDS, FollowerPipe
from tui.links.process_pipe import ProcessPipe
from tui.links.request import PING, PING_SECONDS, request_line
from tui.runs import files

MARKER = "0123456789abcdef"
REQUEST = FollowRequest(roots=("/root/runs",))


class Clock:
    """A clock that a test moves; reading from a quiet pipe takes as long as it is told."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept = 0.0

    def monotonic(self) -> float:
        return self.now

    def wall(self) -> float:
        return 1_796_004_000.0 + self.now + self.slept


class ScriptedPipe:
    """A pipe that brings what a test wrote down: bytes, silence (None) and the end (b"")."""

    def __init__(self, clock: Clock, script: list[bytes | None], errors: str = "") -> None:
        self.errors = errors
        self.written = b""
        self._clock = clock
        self._script = iter(script)

    def read(self, timeout: float) -> bytes:
        data = next(self._script, None)
        if data is None:
            self._clock.now += timeout
            raise TimeoutError
        return data

    def write(self, data: bytes) -> None:
        self.written += data

    def close(self) -> None:
        return


def beat(second: int) -> bytes:
    return frame(MARKER.encode(), b"h", (b"%d" % second,))


def scripted(*script: bytes | None, errors: str = "") -> tuple[FollowerPipe, ScriptedPipe, Clock]:
    clock = Clock()
    pipe = ScriptedPipe(clock, list(script), errors)
    follower = FollowerPipe(pipe, REQUEST, MARKER, clock=clock.monotonic, wall=clock.wall)
    return follower, pipe, clock


def test_program_and_request_are_sent_before_anything_is_read() -> None:
    follower, pipe, _ = scripted()
    follower.start()
    assert pipe.written.count(b"\n") == 3


def test_the_box_is_pinged_while_it_is_quiet() -> None:
    follower, pipe, clock = scripted(*[part for n in range(12) for part in (beat(n), None, None)])
    facts = follower.facts()
    began = clock.now
    for _ in range(12):
        next(facts)
    assert pipe.written == PING * int((clock.now - began) / PING_SECONDS)
    assert pipe.written


def test_silence_ends_a_connection_in_time() -> None:
    follower, _, clock = scripted(beat(1))
    facts = follower.facts()
    next(facts)
    heard = clock.now
    with pytest.raises(LinkError, match="no sign of life") as raised:
        next(facts)
    assert raised.value.kind == "lost"
    assert DEADLINE_SECONDS <= clock.now - heard < DEADLINE_SECONDS + 0.1


def test_a_box_that_never_answers_is_left() -> None:
    follower, _, clock = scripted()
    began = clock.now
    with pytest.raises(LinkError, match="did not start"):
        next(follower.facts())
    assert clock.now - began < START_SECONDS + 0.1


def test_a_gateway_that_refuses_is_left_at_once() -> None:
    follower, _, clock = scripted(b"Error: Your SSH client doesn't support PTY\r\n")
    began = clock.now
    with pytest.raises(LinkError) as raised:
        next(follower.facts())
    assert raised.value.kind == "no_exec"
    assert clock.now == began


def test_a_login_that_starts_tmux_is_known_within_ten_seconds() -> None:
    follower, _, clock = scripted(b"no sessions\n")
    began = clock.now
    with pytest.raises(LinkError, match="tmux") as raised:
        next(follower.facts())
    assert raised.value.kind == "no_exec"
    assert clock.now - began < 10.0
    assert NOISE_SECONDS < 10.0


def test_a_login_that_repeats_what_it_is_told_is_known_within_ten_seconds() -> None:
    request = request_line(REQUEST, marker=MARKER)
    follower, _, clock = scripted(b"program\n" + request[:200], request[200:] + b"\n")
    began = clock.now
    with pytest.raises(LinkError, match="something else") as raised:
        next(follower.facts())
    assert raised.value.kind == "no_exec"
    assert clock.now - began < 10.0


def test_a_shell_that_takes_the_program_for_commands_is_known_within_ten_seconds() -> None:
    follower, pipe, clock = scripted()
    follower.start()
    pipe.errors = f"bash: line 3: {pipe.written.decode()[-2000:].strip()}: File name too long\n"
    began = clock.now
    with pytest.raises(LinkError, match="something else") as raised:
        next(follower.facts())
    assert raised.value.kind == "no_exec"
    assert "bashrc" in (raised.value.hint or "")
    assert clock.now - began < 10.0


def test_a_login_that_prints_without_end_is_left() -> None:
    follower, _, clock = scripted(*[part for _ in range(99) for part in (b"loading\n", None)])
    began = clock.now
    with pytest.raises(LinkError, match="it said: loading") as raised:
        next(follower.facts())
    assert raised.value.kind == "protocol"
    assert LOGIN_SECONDS <= clock.now - began < LOGIN_SECONDS + 3.0


def test_a_bashrc_that_mentions_tmux_is_no_obstacle() -> None:
    follower, _, _ = scripted(b"no sessions\n", None, beat(1))
    assert next(follower.facts()) == Beat(1)


def test_what_stood_on_standard_error_explains_an_end_without_a_word() -> None:
    follower, _, _ = scripted(b"", errors="sh: 1: exec: /bin/sh: not found\n")
    with pytest.raises(LinkError, match="not found") as raised:
        next(follower.facts())
    assert raised.value.kind == "protocol"


def test_an_end_within_a_frame_is_a_cut_reply_and_after_one_a_loss() -> None:
    follower, _, _ = scripted(beat(1), beat(2)[:-3], b"")
    facts = follower.facts()
    next(facts)
    with pytest.raises(LinkError, match="reply cut"):
        next(facts)
    follower, _, _ = scripted(beat(1), b"", errors="Traceback\nMemoryError\n")
    facts = follower.facts()
    next(facts)
    with pytest.raises(LinkError, match="MemoryError") as raised:
        next(facts)
    assert raised.value.kind == "lost"


def test_after_a_sleep_of_this_computer_the_connection_is_given_up_at_once() -> None:
    follower, _, clock = scripted(beat(1), None)
    facts = follower.facts()
    next(facts)
    clock.slept = 3600.0
    with pytest.raises(LinkError, match="slept") as raised:
        next(facts)
    assert raised.value.kind == "lost"


@pytest.fixture
def python_box(tmp_path_factory: pytest.TempPathFactory) -> Kind:
    return make_kind("python", tmp_path_factory.mktemp("box"))


def test_when_the_line_is_slow_metrics_wait_logs_skip_and_the_status_is_the_newest(
    python_box: Kind, tmp_path: Path
) -> None:
    run = make_run(tmp_path, "run1")
    with follow(python_box, tmp_path) as box:
        box.until_fact(Settled)
        metrics = b"".join(b'{"epoch": %d, "pad": "%s"}\n' % (n, b"x" * 200) for n in range(4000))
        append(run / files.METRICS, metrics)
        wait_until(lambda: bytes_in_pipe(box.process.pid) > 60_000, what="the pipe is full")
        log = b"".join(b"line %d %s\n" % (number, b"y" * 90) for number in range(20_000))
        append(run / files.LOG, log)
        for epoch in range(50):
            status = write_status(run, current_epoch=epoch)
        at = len(box.facts)
        box.until_received(lambda seen: seen.data(run, files.STATUS) == status)
        late = [fact for fact in box.facts[at:] if isinstance(fact, FileWhole)]
        assert len(late) < 10, "old statuses were not queued"
        box.until_received(lambda seen: seen.data(run, files.METRICS) == metrics)
        box.until_received(lambda seen: seen.data(run, files.LOG).endswith(log[-500:]))
        sent = [fact for fact in box.facts if isinstance(fact, FileBytes)]
        assert sum(len(fact.data) for fact in sent if fact.name == files.LOG) < 450_000


def bytes_in_pipe(pid: int) -> int:
    """Return how many bytes lie in the pipe that a process writes to."""
    waiting = array.array("i", [0])
    with Path(f"/proc/{pid}/fd/1").open("rb") as pipe:
        fcntl.ioctl(pipe, termios.FIONREAD, waiting)
    return waiting[0]


@pytest.mark.parametrize("name", ["python", "dash"])
def test_a_follower_ends_when_nobody_pings(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("request", "shell_input"):
        monkeypatch.setattr(f"tui.links.{place}.SILENCE_SECONDS", 1.0)
    with follow(make_kind(name, tmp_path), tmp_path) as box:
        box.until_fact(Hello)
        wait_until(lambda: box.process.exit_status is not None)


def test_a_shell_that_is_stuck_in_writing_ends_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dead line takes no bytes: sshd would keep such a session for half an hour."""
    for place in ("request", "shell_input"):
        monkeypatch.setattr(f"tui.links.{place}.SILENCE_SECONDS", 1.0)
    runs = tmp_path / "runs"
    append(make_run(runs, "run1") / files.METRICS, b"x" * 1_000_000)
    with follow(make_kind("dash", tmp_path), runs) as box:
        box.until_fact(Hello)
        wait_until(lambda: bytes_in_pipe(box.process.pid) > 60_000, what="the pipe is full")
        wait_until(lambda: box.process.exit_status is not None)


@pytest.fixture
def echo() -> Iterator[ProcessPipe]:
    pipe = ProcessPipe([sys.executable, "-c", "import sys; sys.stdout.write(sys.stdin.read())"])
    yield pipe
    pipe.close()


def test_closing_a_pipe_from_another_thread_ends_a_read(echo: ProcessPipe) -> None:
    answers: list[bytes] = []
    reader = threading.Thread(target=lambda: answers.append(echo.read(60.0)))
    reader.start()
    echo.close()
    reader.join(5.0)
    assert answers == [b""]
    echo.close()
