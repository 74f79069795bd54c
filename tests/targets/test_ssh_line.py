"""A pasted ssh line is read as ssh reads it; what boxtop cannot use is named, never guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.boxes import SshTarget
from tui.errors import UserError
from tui.targets.addresses import is_ssh_line
from tui.targets.ssh_line import parse_ssh_line

VAST = "ssh -p 41022 root@203.0.113.7 -L 8080:localhost:8080"


def test_the_line_of_a_providers_page() -> None:
    assert parse_ssh_line(VAST) == SshTarget(
        "203.0.113.7", "root", 41022, ignored=("-L 8080:localhost:8080",)
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ssh gpu1", SshTarget("gpu1")),
        ("root@203.0.113.7 -p 41022", SshTarget("203.0.113.7", "root", 41022)),
        ("-p 41022 root@203.0.113.7", SshTarget("203.0.113.7", "root", 41022)),
        ("$ ssh -p41022 -lroot 203.0.113.7", SshTarget("203.0.113.7", "root", 41022)),
        ("`ssh root@203.0.113.7`", SshTarget("203.0.113.7", "root")),
        ("/usr/bin/ssh root@203.0.113.7", SshTarget("203.0.113.7", "root")),
        ("TERM=xterm ssh root@203.0.113.7", SshTarget("203.0.113.7", "root")),
        ("ssh \\\n  -p 41022 \\\n  root@203.0.113.7\n", SshTarget("203.0.113.7", "root", 41022)),
        (
            'ssh -i "~/my keys/id_rent" -i id_two root@203.0.113.7',
            SshTarget("203.0.113.7", "root", identity_files=("~/my keys/id_rent", "id_two")),
        ),
        (
            "ssh -J ops@gw:2200,hop2 root@10.0.0.5",
            SshTarget("10.0.0.5", "root", jump="ops@gw:2200,hop2"),
        ),
        (
            "ssh -o Port=41022 -o User=root -oIdentityFile=~/.ssh/id -o 'ProxyJump gw' 10.0.0.5",
            SshTarget("10.0.0.5", "root", 41022, ("~/.ssh/id",), "gw"),
        ),
        ("ssh -o port=1 -p 2 -o Port=3 h.example", SshTarget("h.example", port=1)),
        ("ssh -l ann bob@h.example", SshTarget("h.example", "ann")),
        ("ssh bob@h.example -l ann", SshTarget("h.example", "bob")),
        ("ssh ssh://root@h.example:41022", SshTarget("h.example", "root", 41022)),
        ("ssh root@h.example:41022", SshTarget("h.example", "root", 41022)),
        ("ssh root@2001:db8::5 -p 22", SshTarget("2001:db8::5", "root", 22)),
        ("ssh root@[2001:db8::5]", SshTarget("2001:db8::5", "root")),
        ("ssh -- h.example", SshTarget("h.example")),
        ("ssh a@realm@h.example", SshTarget("h.example", "a@realm")),
        (
            "ssh -NTvp41022 root@h.example",
            SshTarget("h.example", "root", 41022, ignored=("-N", "-T", "-v")),
        ),
        (
            "ssh -o StrictHostKeyChecking=no -F my.conf -D 1080 -tt root@h.example",
            SshTarget(
                "h.example",
                "root",
                ignored=("-o StrictHostKeyChecking=no", "-F my.conf", "-D 1080", "-t", "-t"),
            ),
        ),
        (
            "ssh root@h.example -p 41022 nvidia-smi -l 1",
            SshTarget("h.example", "root", 41022, ignored=("the command nvidia-smi -l 1",)),
        ),
        (
            "ssh root@h.example -- tmux attach",
            SshTarget("h.example", "root", ignored=("the command tmux attach",)),
        ),
        (
            "ssh --verbose -Z h.example",
            SshTarget("h.example", ignored=("--verbose", "-Z")),
        ),
    ],
)
def test_every_form(line: str, expected: SshTarget) -> None:
    assert parse_ssh_line(line) == expected


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ssh", "names no host"),
        ("ssh -p 41022", "names no host"),
        ("ssh -p", "option -p of the ssh line has no value"),
        ("ssh -p abc h", "port 'abc' must be a number from 1 to 65535"),
        ("ssh -p 0 h", "port '0'"),
        ("ssh -p 65536 h", "port '65536'"),
        ("ssh -p \u0662\u0662 h", "must be a number"),
        ("ssh 'root@h", "cannot read the ssh line"),
        ("ssh -- -oProxyCommand=touch", "host '-oProxyCommand=touch' starts with a dash"),
        ("ssh root@-oProxyCommand=touch", "host '-oProxyCommand=touch' starts with a dash"),
        ("ssh -l -oX h", "user '-oX' is no user name"),
        ("ssh '-x@h'", "names no host"),
        ("ssh 'a b@h'", "user 'a b'"),
        ("ssh 'h;reboot'", "host 'h;reboot' is no host name"),
        ("ssh '$(reboot)'", "is no host name"),
        ("ssh '`reboot`@h'", "is no user name"),
        ("ssh 'h\x1b[31m'", "is no host name"),
        ("ssh root@", "names no host"),
        ("ssh -J -oX h", "host '-oX' starts with a dash"),
        ("ssh -J gw:99999 h", "port '99999'"),
        ("ssh -o ProxyJump='a b' h", "host 'a b' is no host name"),
        ("ssh -i '' h", "path '' is empty"),
        ("ssh ssh://root:pw@h", "a password in an address is not used"),
    ],
)
def test_what_cannot_be_an_address_is_refused(line: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_ssh_line(line)
    assert message in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_only_a_whole_command_is_an_ssh_line() -> None:
    assert is_ssh_line(VAST)
    assert is_ssh_line("$ ssh gpu1")
    assert not is_ssh_line("ssh://gpu1")
    assert not is_ssh_line("sshbox")
    assert not is_ssh_line("")


@given(st.text(alphabet="ssh -poliJ@:[].0123456789rot'\"\\$;=/\n\x00\u00e9\ud800", max_size=60))
def test_any_text_is_an_address_or_a_user_error(text: str) -> None:
    try:
        target = parse_ssh_line(text)
    except UserError:
        return
    assert target.host and not target.host.startswith("-")
    assert target.port is None or 0 < target.port < 65536
