"""A person with an OpenSSH configuration, as it is resolved for a host."""

from __future__ import annotations

import shutil
from pathlib import Path

from tui.boxes import SshTarget
from tui.links.ssh.config import ConfigFiles, resolve
from tui.links.ssh.hops import Plan

CASES = Path(__file__).parent.parent.parent / "data" / "cases"


class User:
    """A person with a ~/.ssh/config; ``ask`` resolves with our own parser, or with `ssh -G`."""

    def __init__(self, home: Path, openssh: bool) -> None:
        self.home = home
        self.ssh = home / ".ssh"
        self.ssh.mkdir()
        self.openssh = openssh

    def write(self, text: str) -> None:
        (self.ssh / "config").write_text(text)

    def copy(self, case: str) -> None:
        shutil.copytree(CASES / case, self.ssh, dirs_exist_ok=True)

    def ask(self, host: str, **given: str | int | tuple[str, ...] | None) -> Plan:
        path = self.ssh / "config" if self.openssh else None
        files = ConfigFiles(self.home, path, self.openssh, system=None)
        return resolve(SshTarget(host, **given), files)  # type: ignore[arg-type]


def way(plan: Plan) -> str:
    return " -> ".join(hop.address for hop in plan.hops)
