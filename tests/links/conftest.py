"""Fixtures for tests of SSH connections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.links.person import Person
from tests.ssh_keys import Key, make_token_key
from tui.boxes import SshTarget
from tui.links.base import Asker
from tui.links.ssh.config import resolve
from tui.links.ssh.connection import Connection, connect
from tui.links.ssh.keyring import KeyRing
from tui.links.ssh.parts import Parts

Dial = Callable[..., Connection]


@pytest.fixture
def dial(monkeypatch: pytest.MonkeyPatch) -> Iterator[Dial]:
    """Connect to a target as the link does; every connection is closed at the end.

    Decrypted keys are forgotten between tests.
    """
    from tui.links.ssh import auth

    monkeypatch.setattr(auth, "keyring", KeyRing())
    opened: list[Parts] = []

    def dial_target(target: SshTarget, asker: Asker | None = None) -> Connection:
        parts = Parts()
        opened.append(parts)
        return connect(resolve(target), asker or Person(), parts)

    yield dial_target
    for parts in opened:
        parts.close()


@pytest.fixture
def token_key(tmp_path: Path) -> Key:
    """A key whose private half is on a FIDO token that is not here."""
    return make_token_key(tmp_path / "id_ed25519_sk")


@pytest.fixture
def without_python(tmp_path: Path) -> str:
    """A command for ForceCommand: runs what was asked for where there is no python to be found."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for directory in ("/bin", "/usr/bin"):
        for tool in Path(directory).iterdir():
            link = tools / tool.name
            if "python" not in tool.name and not link.is_symlink():
                link.symlink_to(tool)
    wrapper = tmp_path / "without-python"
    hidden = "s:/[a-z0-9/]*/bin/python3:/nothing&:g"
    wrapper.write_text(
        "#!/bin/sh\n"
        f"command=$(printf '%s' \"$SSH_ORIGINAL_COMMAND\" | sed '{hidden}')\n"
        f'PATH={tools} HOME=/nowhere exec /bin/sh -c "$command"\n'
    )
    wrapper.chmod(0o755)
    return str(wrapper)


@pytest.fixture
def tmux_login(tmp_path: Path) -> str:
    """A command for ForceCommand: a login that begins tmux for all but SFTP."""
    wrapper = tmp_path / "tmux-login"
    wrapper.write_text(
        "#!/bin/sh\n"
        'case "$SSH_ORIGINAL_COMMAND" in *internal-sftp*|*sftp-server*)\n'
        "exec /usr/lib/openssh/sftp-server;; esac\n"
        "echo no sessions\n"
    )
    wrapper.chmod(0o755)
    return str(wrapper)
