from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.waiting import wait_until
from tui.config.settings import BoxSettings
from tui.money import Rate
from tui.providers import command
from tui.providers.base import ProviderError, State
from tui.providers.command import Commands
from tui.providers.programs import MAX_OUTPUT, run_program, run_shell


def commands(**box: object) -> Commands:
    return Commands({"lab": BoxSettings(**box), "plain": BoxSettings(ssh="x")})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("state", "known"),
    [
        ("echo running", State.RUNNING),
        ("echo 'RUNNING since noon'", State.RUNNING),
        ("printf 'Stopped.'", State.STOPPED),
        ("echo terminated", State.GONE),
        ("echo queued", State.QUEUED),
        ("printf '\\033[31moff\\033[0m'", State.STOPPED),
        ("echo sideways", State.UNKNOWN),
        ("true", State.UNKNOWN),
        ("echo running; exit 3", State.UNKNOWN),
        ("no-such-program-here", State.UNKNOWN),
        (None, State.UNKNOWN),
    ],
)
def test_the_first_word_is_the_state(state: str | None, known: State) -> None:
    (one,) = commands(state=state, price_per_hour=0.69).list().instances
    assert (one.id, one.state) == ("lab", known)
    if known is State.UNKNOWN:
        assert one.rate_now == Rate(0.69, "user") and one.rate_assumed


def test_prices_are_the_users(tmp_path: Path) -> None:
    made = commands(state="echo stopped", price_per_hour=3.48, disk_gb=250.0, storage_gb_month=0.2)
    (one,) = made.list().instances
    assert one.rate_running == Rate(3.48, "user")
    assert one.rate_now == one.rate_stopped
    assert round(one.rate_stopped.usd_per_hour or 0, 4) == 0.0685
    (unpriced,) = commands(state="echo stopped").list().instances
    assert unpriced.rate_now == Rate()


def test_a_failed_state_command_says_why() -> None:
    (one,) = commands(state="echo boom >&2; exit 4").list().instances
    assert "failed (4): boom" in one.warnings[0]


def test_a_command_gets_no_name_no_input_and_no_terminal(tmp_path: Path) -> None:
    script = 'printf "%s|" "$0" "$#" "$BOXTOP_BOX"; cat; tty || true'
    made = Commands({"a; rm -rf x": BoxSettings(stop=script)})
    reply = made.stop("a; rm -rf x")
    assert reply.result == "accepted"
    assert reply.message == "/bin/sh|0|a; rm -rf x|not a tty"


def test_what_a_status_means() -> None:
    made = commands(stop="echo done", start="echo 'no room' >&2; exit 7", destroy="kill -9 $$")
    assert (made.stop("lab").result, made.stop("lab").message) == ("accepted", "done")
    refused = made.start("lab")
    assert refused.result == "refused" and "failed (7): no room" in refused.message
    assert made.destroy("lab").result == "unconfirmed"


def test_a_command_that_does_not_end_is_ended_and_unconfirmed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "ACTION_SECONDS", 0.3)
    pid_file = tmp_path / "pid"
    made = commands(stop=f"sleep 600 & echo $! > {pid_file}; wait")
    assert made.stop("lab").result == "unconfirmed"
    pid = int(pid_file.read_text())
    wait_until(lambda: not running(pid), what="its child ends too")


def test_a_program_that_leaves_a_child_behind_is_not_waited_for() -> None:
    ran = run_shell("echo out; sleep 600 & echo $!", 30)
    assert ran.status == 0
    first, child = ran.output.split()
    assert first == "out"
    os.kill(int(child), 9)


def test_output_is_limited_and_cleaned() -> None:
    assert len(run_shell("head -c 3000000 /dev/zero | tr '\\0' x", 30).output) == MAX_OUTPUT
    ran = run_shell("printf 'a\\033]0;t\\007b'; printf 'HF_TOKEN=hf_abcdefghijkl' >&2; exit 1", 30)
    assert ran.output == "ab" and "abcdefghijkl" not in ran.said
    assert run_program(["/bin/echo", "$(id)", ";x"], 30).output == "$(id) ;x\n"


def test_a_box_without_a_command_says_which_is_missing() -> None:
    made = commands(price_per_hour=1.0)
    assert not made.capabilities.can("stop")
    for action in (made.stop, made.start, made.destroy):
        with pytest.raises(ProviderError) as caught:
            action("lab")
        assert caught.value.kind == "unsupported" and "[box.lab]" in (caught.value.hint or "")
    with pytest.raises(ProviderError):
        made.stop("plain")
    assert made.get("plain") is None and made.get("lab") is not None


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_a_state_command_that_hangs_holds_no_other_box_up() -> None:
    two = "for n in 1 2 3 4 5 6 7 8; do sleep 0.1; done; echo running"
    boxes = {f"box{number}": BoxSettings(ssh="x", state=two) for number in range(8)}
    began = time.monotonic()
    listed = Commands(boxes).list().instances
    assert time.monotonic() - began < 5.0, "8 of them in a row take 6.4 s and more"
    assert [one.id for one in listed] == list(boxes)
    assert {one.state for one in listed} == {State.RUNNING}


@pytest.mark.parametrize(
    ("word", "state", "usd"),
    [
        ("running", State.RUNNING, 2.0),
        ("stopping", State.STOPPING, 2.0),
        ("terminating", State.TERMINATING, 2.0),
        ("starting", State.STARTING, 2.0),
        ("failed", State.FAILED, 2.0),
        ("offline", State.UNREACHABLE, 2.0),
        ("odd", State.UNKNOWN, 2.0),
        ("stopped", State.STOPPED, 100 * 0.1 / 730),
        ("queued", State.QUEUED, 100 * 0.1 / 730),
        ("gone", State.GONE, 0.0),
    ],
)
def test_what_each_word_of_a_state_command_bills(word: str, state: State, usd: float) -> None:
    box = BoxSettings(state=f"echo {word}", price_per_hour=2.0, disk_gb=100, storage_gb_month=0.1)
    (one,) = Commands({"desk": box}).list().instances
    assert (one.state, one.rate_now.usd_per_hour) == (state, usd)
