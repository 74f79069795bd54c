"""The OpenSSH files of a demo: they know its boxes and look at nothing of the user's."""

from __future__ import annotations

from collections.abc import Mapping

from tui.demo.environment import USER
from tui.demo.sandbox import Sandbox
from tui.demo.server import BoxServer


def write_ssh_files(sandbox: Sandbox, servers: Mapping[str, BoxServer]) -> None:
    """Write known_hosts and ssh_config: ``ssh -F …/ssh_config demo-a100 nvidia-smi`` works."""
    sandbox.known_hosts.write_text(
        "".join(server.host_key_line + "\n" for server in servers.values())
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
