"""Which keys are offered, and in which order."""

from __future__ import annotations

import base64
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.ssh_keys import Agent, Key, make_key
from tests.sshd import why_no_sshd
from tui.boxes import SshTarget
from tui.links.ssh.agent import AgentClient, AgentKey
from tui.links.ssh.config import ConfigFiles, resolve
from tui.links.ssh.hops import Hop
from tui.links.ssh.key_order import KeyList, list_keys
from tui.links.ssh.keys import PublicKey

pytestmark = [
    pytest.mark.sshd,
    pytest.mark.skipif(why_no_sshd() is not None, reason="needs ssh-keygen and ssh-agent"),
]
CASE = Path(__file__).parent.parent.parent / "data" / "cases" / "SSH-10"


def public(line: str) -> PublicKey:
    return PublicKey.from_blob(base64.b64decode(line.split()[1]))


def order(keys: KeyList) -> list[PublicKey | None]:
    return [candidate.public for candidate in keys.candidates]


class World:
    """The case's configuration, its agent's nine keys, and the key that it names."""

    def __init__(self, home: Path, agent: AgentClient) -> None:
        self.home = home
        (home / ".ssh").mkdir()
        shutil.copy(CASE / "config", home / ".ssh" / "config")
        self.rent = make_key(home / ".ssh" / "id_rent")
        lines = (CASE / "agent_keys.txt").read_text().splitlines()
        self.agent_keys = [AgentKey(public(line), line.split()[2], agent) for line in lines]

    def hop(self) -> Hop:
        return resolve(SshTarget("gpu1"), ConfigFiles(self.home, system=None)).box


@pytest.fixture
def world(home: Path, ssh_agent: Agent) -> World:
    return World(home, AgentClient(str(ssh_agent.socket)))


def test_identities_only_leaves_the_agent_s_keys_alone(world: World) -> None:
    keys = list_keys(world.hop(), world.agent_keys)
    assert order(keys) == [public(world.rent.public)]
    assert keys.candidates[0].agent_key is None


def test_a_named_key_that_the_agent_holds_is_used_through_it(world: World) -> None:
    held = AgentKey(public(world.rent.public), "rent", world.agent_keys[0].agent)
    keys = list_keys(world.hop(), [*world.agent_keys, held])
    assert order(keys) == [public(world.rent.public)]
    assert keys.candidates[0].agent_key == held


def test_otherwise_the_named_key_is_first_of_six(world: World) -> None:
    keys = list_keys(replace(world.hop(), identities_only=False), world.agent_keys)
    expected = [public(world.rent.public), *(key.public for key in world.agent_keys[:5])]
    assert order(keys) == expected


def test_usual_files_come_last_and_keep_their_place(world: World, home: Path) -> None:
    ed25519, rsa = make_key(home / ".ssh" / "id_ed25519"), make_key(home / ".ssh" / "id_rsa", "rsa")
    hop = resolve(SshTarget("elsewhere"), ConfigFiles(home, system=None)).box
    keys = list_keys(hop, world.agent_keys)
    expected = [key.public for key in world.agent_keys[:4]]
    assert order(keys) == [*expected, public(ed25519.public), public(rsa.public)]


def test_a_usual_file_that_the_agent_holds_comes_before_its_other_keys(
    world: World, home: Path
) -> None:
    key = make_key(home / ".ssh" / "id_ed25519")
    held = AgentKey(public(key.public), "", world.agent_keys[0].agent)
    hop = resolve(SshTarget("elsewhere"), ConfigFiles(home, system=None)).box
    keys = list_keys(hop, [*world.agent_keys, held])
    assert order(keys)[0] == held.public
    assert len(set(order(keys))) == len(order(keys)) == 6


def test_the_same_key_is_offered_once(world: World, home: Path) -> None:
    twin = home / "twin"
    shutil.copy(world.rent.path, twin)
    hop = replace(world.hop(), named_keys=(twin, world.rent.path))
    assert order(list_keys(hop, [])) == [public(world.rent.public)]


def test_missing_usual_files_are_no_problem_but_a_missing_named_one_is(
    world: World, home: Path
) -> None:
    hop = replace(world.hop(), named_keys=(home / "gone",), default_keys=(home / "none",))
    assert list_keys(hop, []).problems == [f"{home / 'gone'}: file missing"]
    hop = replace(hop, named_keys=())
    assert list_keys(hop, []).problems == []


def test_a_public_file_whose_key_the_agent_lacks_is_named(world: World) -> None:
    path = Path(f"{world.rent.path}.pub")
    keys = list_keys(replace(world.hop(), named_keys=(path,)), [])
    assert keys.candidates == []
    assert keys.problems == [f"{path}: a public key, and the agent does not hold it"]


def test_an_agent_lists_its_keys_and_signs(ssh_agent: Agent, tmp_path: Path) -> None:
    key: Key = make_key(tmp_path / "id")
    ssh_agent.add(key)
    client = AgentClient(str(ssh_agent.socket))
    (held,) = client.keys
    assert held.public == public(key.public)
    assert held.comment == "id"
    assert held.sign(b"data", "ssh-ed25519").startswith(b"\0\0\0\x0bssh-ed25519")
    client.close()
