"""Boxes behind jump hosts: hop after hop, each with its own key, login and error."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.conftest import MakeServer, trust
from tests.links.conftest import Dial
from tests.links.person import Person
from tests.ssh_keys import make_key
from tests.sshd import SshServer
from tui.boxes import SshTarget
from tui.links.base import LinkError
from tui.links.ssh.connection import Connection
from tui.links.ssh.exec_pipe import ExecPipe

pytestmark = pytest.mark.sshd


class Way:
    """Two jump hosts and a box, known by the names of a configuration."""

    def __init__(self, home: Path, servers: dict[str, SshServer]) -> None:
        self.home = home
        self.servers = servers
        (home / ".ssh").mkdir(exist_ok=True)
        for server in servers.values():
            trust(server, home)
        self.write({"middle": "outer", "box": "outer,middle"})

    def write(self, jumps: dict[str, str], extra: str = "") -> None:
        text = extra
        for name, server in self.servers.items():
            text += (
                f"Host {name}\n  HostName 127.0.0.1\n  Port {server.port}\n  User {server.user}\n"
                f"  IdentityFile {server.key.path}\n  IdentitiesOnly yes\n"
            )
            if name in jumps:
                text += f"  ProxyJump {jumps[name]}\n"
        (self.home / ".ssh" / "config").write_text(text)


@pytest.fixture
def way(make_sshd: MakeServer, home: Path, tmp_path: Path) -> Way:
    keys = {name: make_key(tmp_path / f"id_{name}") for name in ("outer", "middle", "box")}
    return Way(home, {name: make_sshd(key) for name, key in keys.items()})


def said(connection: Connection, command: str) -> str:
    pipe = ExecPipe(connection, command)
    output = b""
    while data := pipe.read(10):
        output += data
    return output.decode()


def test_two_hops_are_passed_with_a_key_each(way: Way, dial: Dial) -> None:
    connection = dial(SshTarget("box"))
    assert said(connection, "echo $HOME").strip() == str(way.servers["box"].home)
    assert [hop.alias for hop in connection.plan.jumps] == ["outer", "middle"]
    for server in way.servers.values():
        assert server.log.count("Accepted publickey") == 1
        assert server.key.fingerprint in server.log


def test_a_jump_named_by_the_target_wins(way: Way, dial: Dial) -> None:
    way.write({"box": "nowhere.invalid"})
    outer = way.servers["outer"]
    jump = f"{outer.user}@127.0.0.1:{outer.port}"
    way.write({"box": "nowhere.invalid"}, f"Host 127.0.0.1\n  IdentityFile {outer.key.path}\n")
    assert said(dial(SshTarget("box", jump=jump)), "echo well").strip() == "well"
    assert "Accepted publickey" in outer.log


def test_the_hop_that_refuses_the_key_is_named(way: Way, dial: Dial) -> None:
    way.servers["middle"].authorize(way.servers["box"].key)
    with pytest.raises(LinkError, match=r"^jump host middle: .* refuses 1 key") as caught:
        dial(SshTarget("box"))
    assert caught.value.kind == "auth"
    assert "Accepted publickey" in way.servers["outer"].log
    assert "Accepted publickey" not in way.servers["box"].log


def test_the_hop_that_is_down_is_named(way: Way, dial: Dial) -> None:
    way.servers["outer"].stop()
    with pytest.raises(LinkError, match=r"^jump host outer: .* refuses the connection") as caught:
        dial(SshTarget("box"))
    assert caught.value.kind == "unreachable"


def test_a_box_that_the_jump_host_cannot_reach_is_unreachable(way: Way, dial: Dial) -> None:
    way.servers["box"].stop()
    with pytest.raises(LinkError, match="jump host middle cannot reach 127") as caught:
        dial(SshTarget("box"))
    assert caught.value.kind == "unreachable"
    assert caught.value.retried


def test_a_jump_host_that_forbids_forwarding_is_named(
    make_sshd: MakeServer, home: Path, tmp_path: Path, dial: Dial
) -> None:
    key = make_key(tmp_path / "id")
    outer = make_sshd(key, options=["AllowTcpForwarding no"])
    Way(home, {"outer": outer, "box": make_sshd(key)}).write({"box": "outer"})
    with pytest.raises(LinkError, match="jump host outer forbids forwarding") as caught:
        dial(SshTarget("box"))
    assert not caught.value.retried


def test_a_changed_key_of_a_jump_host_stops_before_any_login(way: Way, dial: Dial) -> None:
    outer = way.servers["outer"]
    outer.use_host_keys("ed25519")
    outer.restart()
    outer.log_path.write_text("")
    with pytest.raises(LinkError, match=r"^jump host outer: host key .* CHANGED") as caught:
        dial(SshTarget("box"), Person(accepts=True))
    assert caught.value.kind == "hostkey_changed"
    assert "userauth" not in outer.log


def test_a_changed_key_of_the_box_behind_it_is_told_by_its_own_name(way: Way, dial: Dial) -> None:
    box = way.servers["box"]
    box.use_host_keys("ed25519")
    box.restart()
    with pytest.raises(LinkError, match=r"^host key of \[127") as caught:
        dial(SshTarget("box"))
    assert caught.value.kind == "hostkey_changed"
    assert f"ssh-keygen -R '{box.host_name}'" in (caught.value.hint or "")


def test_unknown_hops_are_asked_for_one_by_one(way: Way, dial: Dial) -> None:
    (way.home / ".ssh" / "known_hosts").unlink()
    person = Person(accepts=True)
    assert dial(SshTarget("box"), person).alive
    asked = [question.host for question in person.questions]
    assert asked == [way.servers[name].host_name for name in ("outer", "middle", "box")]


def test_a_proxy_command_leads_to_the_box(way: Way, dial: Dial) -> None:
    outer, box = way.servers["outer"], way.servers["box"]
    command = (
        f"ssh -F none -o BatchMode=yes -o UserKnownHostsFile={way.home}/.ssh/known_hosts "
        f"-i {outer.key.path} -p {outer.port} -W %h:%p {outer.user}@127.0.0.1"
    )
    way.write({}, f"Host box\n  ProxyCommand {command}\n")
    assert said(dial(SshTarget("box")), "echo well").strip() == "well"
    assert "Accepted publickey" in outer.log
    assert "Accepted publickey" in box.log


def test_what_a_failing_proxy_command_says_is_shown(way: Way, dial: Dial) -> None:
    way.write({}, "Host box\n  ProxyCommand echo 'no way there' >&2; exit 1\n")
    with pytest.raises(LinkError, match="ProxyCommand of box: no way there") as caught:
        dial(SshTarget("box"))
    assert caught.value.kind == "unreachable"


def test_many_boxes_behind_one_jump_host_do_not_storm_it(
    make_sshd: MakeServer, home: Path, tmp_path: Path, dial: Dial
) -> None:
    key = make_key(tmp_path / "id")
    outer = make_sshd(key, options=["MaxStartups 8"])
    Way(home, {"outer": outer, "box": make_sshd(key)}).write({"box": "outer"})
    answers: list[str] = []
    threads = [
        threading.Thread(target=lambda: answers.append(said(dial(SshTarget("box")), "echo well")))
        for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == ["well\n"] * 16
    assert "MaxStartups" not in outer.log
