"""The OpenSSH files of a demo: they know its boxes and look at nothing of the user's."""

from __future__ import annotations

from collections.abc import Mapping

from tui.demo.environment import USER
from tui.demo.sandbox import Sandbox
from tui.demo.server import BoxServer


def write_ssh_files(sandbox: Sandbox, servers: Mapping[str, BoxServer]) -> None:
    """Write known_hosts and ssh_config: ``ssh -F …/ssh_config demo-a100 nvidia-smi`` works.

    Each key is also known under the name that a rented instance's key has: ``rented_as``.
    """
    sandbox.known_hosts.write_text(
        "".join(f"{rented_as(name)},{box.host_key_line}\n" for name, box in servers.items())
    )
    blocks = [
        f"Host {name}\n  HostName 127.0.0.1\n  Port {server.port}\n"
        for name, server in servers.items()
    ]
    everywhere = (
        "Host *\n"
        f"  User {USER}\n"
        f'  IdentityFile "{sandbox.client_key}"\n'
        "  IdentitiesOnly yes\n"
        "  IdentityAgent none\n"
        f'  UserKnownHostsFile "{sandbox.known_hosts}"\n'
        "  GlobalKnownHostsFile /dev/null\n"
        "  StrictHostKeyChecking yes\n"
    )
    sandbox.ssh_config.write_text("".join([*blocks, everywhere]))


def rented_as(name: str) -> str:
    """Return the name that the host key of a demo's rented box is kept under."""
    return f"boxtop-demo-{name}"
