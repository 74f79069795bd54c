"""The demo's SSH servers, asked by a real paramiko client and the real ssh."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import paramiko
import pytest

from tests.demo.conftest import log_in
from tests.waiting import wait_until
from tui.boxes import SshTarget
from tui.demo.keys import make_key
from tui.demo.session import DemoSession

needs_ssh = pytest.mark.skipif(not shutil.which("ssh"), reason="OpenSSH's ssh is not installed")


def run(client: paramiko.SSHClient, command: str) -> tuple[str, str, int]:
    stdin, stdout, stderr = client.exec_command(command, timeout=20)
    stdin.channel.shutdown_write()
    return stdout.read().decode(), stderr.read().decode(), stdout.channel.recv_exit_status()


def test_a_command_runs_in_the_box_s_own_home(
    client: paramiko.SSHClient, demo: DemoSession
) -> None:
    home = str(demo.directory / "demo-a100")
    assert run(client, "pwd; echo $HOME; echo $USER") == (f"{home}\n{home}\ndemo\n", "", 0)


def test_a_command_sees_nothing_of_the_user_s_environment(
    demo: DemoSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    with DemoSession() as session, log_in(session, session.boxes[0]) as client:
        names = {line.partition("=")[0] for line in run(client, "env")[0].splitlines()}
    assert not names & {"HF_TOKEN", "SSH_AUTH_SOCK", "PYTHONPATH", "VIRTUAL_ENV"}


def test_output_errors_and_exit_status_arrive_apart(client: paramiko.SSHClient) -> None:
    assert run(client, "echo out; echo err >&2; exit 7") == ("out\n", "err\n", 7)


def test_a_killed_command_ends_with_its_signal(client: paramiko.SSHClient) -> None:
    assert run(client, "kill -KILL $$")[2] == 128 + 9


def test_a_megabyte_goes_in_and_comes_back_unchanged(client: paramiko.SSHClient) -> None:
    sent = os.urandom(1 << 20)
    stdin, stdout, _ = client.exec_command("cat")
    with ThreadPoolExecutor() as pool:
        received = pool.submit(stdout.read)
        stdin.write(sent)
        stdin.channel.shutdown_write()
        assert received.result(20) == sent


def test_what_a_quick_command_says_is_never_lost(client: paramiko.SSHClient) -> None:
    for number in range(60):
        assert run(client, f"echo {number}; exit {number}") == (f"{number}\n", "", number)


def test_a_closed_channel_ends_every_process_of_its_command(client: paramiko.SSHClient) -> None:
    _, stdout, _ = client.exec_command("echo $$; sleep 600 & sleep 600; wait")
    group = int(stdout.readline())
    stdout.channel.close()
    wait_until(lambda: not group_lives(group), what="the process group is gone")


def test_a_command_whose_input_ended_notices_a_lost_client(demo: DemoSession) -> None:
    with log_in(demo, demo.boxes[0]) as client:
        stdin, stdout, _ = client.exec_command("echo $$; sleep 600")
        stdin.channel.shutdown_write()
        group = int(stdout.readline())
        assert group_lives(group)
    wait_until(lambda: not group_lives(group), what="the process group is gone")


def test_another_key_is_refused(demo: DemoSession, tmp_path: Path) -> None:
    make_key(tmp_path / "other")
    other = paramiko.Ed25519Key.from_private_key_file(str(tmp_path / "other"))
    with pytest.raises(paramiko.AuthenticationException):
        log_in(demo, demo.boxes[0], pkey=other)


def test_another_user_is_refused(demo: DemoSession) -> None:
    with pytest.raises(paramiko.AuthenticationException):
        log_in(demo, demo.boxes[0], username="root")


def test_a_password_is_not_even_taken(demo: DemoSession) -> None:
    with pytest.raises(paramiko.BadAuthenticationType) as refused:
        log_in(demo, demo.boxes[0], password="demo")
    assert refused.value.allowed_types == ["publickey"]


def test_nothing_is_forwarded(client: paramiko.SSHClient) -> None:
    transport = client.get_transport()
    assert transport is not None
    with pytest.raises(paramiko.ChannelException, match="prohibited"):
        transport.open_channel("direct-tcpip", ("127.0.0.1", 22), ("127.0.0.1", 0))


def test_a_login_without_a_command_says_that_there_is_no_shell(client: paramiko.SSHClient) -> None:
    transport = client.get_transport()
    assert transport is not None
    channel = transport.open_session()
    channel.invoke_shell()
    assert b"no shell" in channel.makefile_stderr("rb").read()
    assert channel.recv_exit_status() == 1


def test_the_boxes_listen_on_loopback_only(demo: DemoSession) -> None:
    table = Path("/proc/net/tcp")
    if not table.exists():
        pytest.skip("there is no /proc/net/tcp here")
    listening = [line.split()[1] for line in table.read_text().splitlines()[1:]]
    for box in demo.boxes:
        assert isinstance(box.target, SshTarget)
        at = [address for address in listening if address.endswith(f":{box.target.port:04X}")]
        assert at
        assert {address.split(":")[0] for address in at} == {"0100007F"}


def test_twenty_clients_at_once_are_all_served(demo: DemoSession) -> None:
    def ask(number: int) -> str:
        with log_in(demo, demo.boxes[number % 3]) as client:
            return run(client, f"echo {number}")[0]

    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(ask, range(20))) == [f"{number}\n" for number in range(20)]


@needs_ssh
def test_the_real_ssh_gets_in_with_the_demo_s_settings(demo: DemoSession) -> None:
    done = subprocess.run(
        ["ssh", "-F", demo.ssh_config, "demo-4090", "cat; echo err >&2; exit 4"],
        input=b"through stdin",
        capture_output=True,
        timeout=30,
    )
    assert (done.stdout, done.stderr, done.returncode) == (b"through stdin", b"err\n", 4)


@needs_ssh
def test_the_real_ssh_without_the_demo_s_key_is_refused(demo: DemoSession, tmp_path: Path) -> None:
    make_key(tmp_path / "other")
    target = demo.boxes[0].target
    assert isinstance(target, SshTarget)
    options = ["-o", f"UserKnownHostsFile={demo.known_hosts}", "-o", "BatchMode=yes"]
    address = ["-i", str(tmp_path / "other"), "-p", str(target.port), f"{target.user}@127.0.0.1"]
    done = subprocess.run(
        ["ssh", "-F", "none", *options, *address, "echo in"],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 255
    assert "Permission denied (publickey)" in done.stderr


def group_lives(group: int) -> bool:
    """Whether the process group has a process that is more than a zombie."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, of_group = path.read_text().rpartition(")")[2].split()[:3]
            if int(of_group) == group and state != "Z":
                return True
    return False
