"""Boxes to measure against: a real sshd, known to the shielded HOME, near or far away."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.bench.bench import Bench
from tests.bench.wide_network import SERVER_ADDRESS, WideNetwork
from tests.relay import Relay
from tests.ssh_keys import Key, make_key
from tests.sshd import SshServer
from tui.boxes import SshTarget
from tui.links.paramiko_import import import_paramiko

if TYPE_CHECKING:
    from paramiko import SSHClient

ROUND_TRIP = 0.150
"""Seconds to a far box and back."""


@dataclass(frozen=True, slots=True)
class FarBox:
    """A box a round trip of ROUND_TRIP away. ``network`` is None where a TCP relay stands in.

    A relay delays no TCP handshake: ``handshake`` is what is to be added to a connect then.
    """

    address: str
    port: int
    server: SshServer
    network: WideNetwork | None
    handshake: float = 0.0

    @property
    def target(self) -> SshTarget:
        """The box as boxtop's target, with the key that it lets in."""
        return SshTarget(self.address, self.server.user, self.port, (str(self.server.key.path),))

    @contextlib.contextmanager
    def reachable(self) -> Iterator[None]:
        """Let this thread, and what it starts, live where the box can be reached from."""
        with self.network.at_client() if self.network else contextlib.nullcontext():
            yield


@contextlib.contextmanager
def near_box(
    bench: Bench, name: str = "sshd", environment: Mapping[str, str] | None = None
) -> Iterator[SshServer]:
    """A real sshd on loopback that the shielded HOME knows."""
    server = SshServer(bench.directory / name, _key(bench), environment=environment)
    server.start()
    try:
        introduce(bench, server, server.host_name)
        yield server
    finally:
        server.stop()


@contextlib.contextmanager
def far_box(bench: Bench, environment: Mapping[str, str] | None = None) -> Iterator[FarBox]:
    """A real sshd a round trip away: in another network namespace, else behind a TCP relay."""
    try:
        network = WideNetwork(ROUND_TRIP / 2)
    except OSError:
        with (
            near_box(bench, "far", environment) as server,
            Relay(server.port, delay=ROUND_TRIP / 2) as relay,
        ):
            introduce(bench, server, f"[127.0.0.1]:{relay.port}")
            yield FarBox("127.0.0.1", relay.port, server, None, ROUND_TRIP)
        return
    with network:
        options = [f"ListenAddress {SERVER_ADDRESS}"]
        key = _key(bench)
        server = SshServer(bench.directory / "far", key, options=options, environment=environment)
        with network.at_server():
            server.start()
        try:
            introduce(bench, server, f"[{SERVER_ADDRESS}]:{server.port}")
            yield FarBox(SERVER_ADDRESS, server.port, server, network)
        finally:
            server.stop()


def introduce(bench: Bench, server: SshServer, name: str) -> None:
    """Let the shielded HOME know a server by its name in known_hosts."""
    directory = bench.home / ".ssh"
    directory.mkdir(mode=0o700, exist_ok=True)
    with (directory / "known_hosts").open("a") as known_hosts:
        for line in server.known_host_lines.splitlines():
            known_hosts.write(f"{name} {line.partition(' ')[2]}\n")


def ssh_config(bench: Bench) -> Path:
    """A configuration for both sides: OpenSSH itself never looks at HOME."""
    path = bench.home / ".ssh" / "config"
    if not path.exists():
        lines = (
            f"UserKnownHostsFile {path.with_name('known_hosts')}",
            "GlobalKnownHostsFile none",
            f"IdentityFile {path.with_name('id_ed25519')}",
            "IdentitiesOnly yes",
            "BatchMode yes",
        )
        path.write_text("".join(line + "\n" for line in lines))
    return path


def ssh_command(bench: Bench, port: int, address: str = "127.0.0.1") -> list[str]:
    """The system's ssh with the same key and settings; a command is to be added."""
    return ["ssh", "-F", str(ssh_config(bench)), "-T", "-p", str(port), address]


def plain_paramiko(
    bench: Bench, server: SshServer, address: str = "127.0.0.1", port: int = 0
) -> SSHClient:
    """A paramiko client as anyone would connect it, for baselines."""
    import_paramiko()
    import paramiko

    client = paramiko.SSHClient()
    client.load_host_keys(str(bench.home / ".ssh" / "known_hosts"))
    client.connect(
        address,
        port or server.port,
        server.user,
        key_filename=str(server.key.path),
        allow_agent=False,
        look_for_keys=False,
    )
    return client


def _key(bench: Bench) -> Key:
    path = bench.home / ".ssh" / "id_ed25519"
    if path.exists():
        return Key(path, Path(f"{path}.pub").read_text().strip())
    return make_key(path)
