"""A box over SSH, from its address to facts of its runs: real sshd, real follower."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import MakeServer, trust
from tests.links.person import Person
from tests.links.ssh.conftest import WELL, Look, seen
from tests.relay import Relay
from tests.ssh_keys import Key
from tests.sshd import SshServer
from tui.boxes import SshTarget
from tui.facts import FileBytes, FileWhole, Hello, Settled
from tui.links.base import FollowRequest, LinkError
from tui.links.ssh.link import SshLink

pytestmark = pytest.mark.sshd


def test_a_look_brings_a_run_from_the_box(
    sshd: SshServer, home: Path, runs: Path, look: Look
) -> None:
    trust(sshd, home)
    facts = look(sshd.target, runs)
    assert isinstance(facts[0], Hello)
    assert facts[0].follower == "python"
    assert seen(facts) == WELL
    assert any(isinstance(fact, FileWhole) and fact.name == "status.json" for fact in facts)
    assert isinstance(facts[-1], Settled)


def test_a_line_written_on_the_box_arrives(
    sshd: SshServer, home: Path, runs: Path, links: list[SshLink]
) -> None:
    trust(sshd, home)
    link = SshLink(sshd.target, Person())
    links.append(link)
    facts = link.open(FollowRequest((str(runs),)))
    for fact in facts:
        if isinstance(fact, Settled):
            break
    with (runs / "run1" / "metrics.jsonl").open("a") as metrics:
        metrics.write('{"epoch": 2}\n')
    arrived = next(fact for fact in facts if isinstance(fact, FileBytes))
    assert arrived.data == b'{"epoch": 2}\n'


def test_a_refused_port_is_unreachable(sshd: SshServer, home: Path, runs: Path, look: Look) -> None:
    trust(sshd, home)
    with Relay(sshd.port) as relay:
        relay.refuse()
        with pytest.raises(LinkError, match=r"127\.0\.0\.1:\d+ refuses the connection") as caught:
            look(replace(sshd.target, port=relay.port), runs)
    assert caught.value.kind == "unreachable"
    assert caught.value.retried


def test_an_unknown_name_is_unreachable(runs: Path, look: Look) -> None:
    with pytest.raises(LinkError, match=r"the name no-such-box\.invalid is not known") as caught:
        look(SshTarget("no-such-box.invalid"), runs)
    assert caught.value.kind == "unreachable"


@pytest.mark.parametrize("port", [0, -1, 70000])
def test_a_port_that_is_none_yet_is_never_replaced_by_22(runs: Path, look: Look, port: int) -> None:
    with pytest.raises(LinkError, match="no SSH port") as caught:
        look(SshTarget("203.0.113.7", port=port), runs)
    assert caught.value.kind == "usage"


@pytest.mark.parametrize("host", ["ssh.runpod.io", "pod"])
def test_runpods_gateway_is_recognised_without_connecting(
    home: Path, runs: Path, look: Look, host: str
) -> None:
    (home / ".ssh").mkdir()
    (home / ".ssh" / "config").write_text("Host pod\n  HostName SSH.runpod.io\n")
    with pytest.raises(LinkError) as caught:
        look(SshTarget(host, "abc-123"), runs)
    assert caught.value.kind == "no_exec"
    assert caught.value.hint is not None
    assert "exposed TCP" in caught.value.hint
    assert "public IP" in caught.value.hint
    assert not caught.value.retried


def test_a_further_command_runs_on_the_live_connection(
    make_sshd: MakeServer, home: Path, runs: Path, links: list[SshLink]
) -> None:
    server = make_sshd()
    trust(server, home)
    link = SshLink(server.target, Person())
    links.append(link)
    with pytest.raises(LinkError, match="is not connected"):
        link.run("true")
    facts = link.open(FollowRequest((str(runs),)))
    next(facts)
    pipe = link.run("cat; echo to the side >&2; exit 3")
    pipe.write(b"hello")
    assert pipe.read(10) == b"hello"
    pipe.close()
    assert len(re.findall("Accepted publickey", server.log)) == 1


def test_nothing_of_paramiko_reaches_the_terminal(
    sshd: SshServer, home: Path, runs: Path, look: Look, capfd: pytest.CaptureFixture[str]
) -> None:
    trust(sshd, home)
    with Relay(sshd.port) as relay:
        relay.cut_after(10)
        with pytest.raises(LinkError):
            look(replace(sshd.target, port=relay.port), runs)
    look(sshd.target, runs)
    assert capfd.readouterr() == ("", "")


def test_many_boxes_connect_at_once(
    make_sshd: MakeServer, home: Path, runs: Path, look: Look, ssh_key: Key
) -> None:
    server = make_sshd(options=["MaxStartups 200"])
    trust(server, home)
    results: list[tuple[str, bytes]] = []
    threads = [
        threading.Thread(target=lambda: results.append(seen(look(server.target, runs))))
        for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [WELL] * 12


def test_paramiko_is_imported_without_what_boxtop_does_not_need() -> None:
    code = (
        "import sys; from tui.links.paramiko_import import import_paramiko; import_paramiko(); "
        "assert 'paramiko' in sys.modules; print('invoke' in sys.modules); "
        "import invoke; print(bool(invoke.run))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["False", "True"]
