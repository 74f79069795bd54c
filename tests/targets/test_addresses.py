"""Boxes elsewhere: their addresses, and the roots that are searched there."""

from __future__ import annotations

import pytest

from tui.boxes import SshTarget
from tui.config.settings import Settings, WatchSettings
from tui.targets import Names, parse_target

DEFAULT_ROOTS = ("/root/runs", "/workspace/runs", "~/runs")


@pytest.mark.parametrize(
    ("text", "name", "target", "run"),
    [
        ("gw", "gw", SshTarget("gw"), None),
        ("node-7:run1", "node-7", SshTarget("node-7"), "run1"),
        ("root@203.0.113.7", "203.0.113.7", SshTarget("203.0.113.7", "root"), None),
        ("root@203.0.113.7:22", "203.0.113.7", SshTarget("203.0.113.7", "root", 22), None),
        (
            "root@203.0.113.7:41022",
            "203.0.113.7:41022",
            SshTarget("203.0.113.7", "root", 41022),
            None,
        ),
        (
            "root@203.0.113.7:41022:exp/run1",
            "203.0.113.7:41022",
            SshTarget("203.0.113.7", "root", 41022),
            "exp/run1",
        ),
        ("root@h.example:run1", "h.example", SshTarget("h.example", "root"), "run1"),
        ("root@h.example:run@2", "h.example", SshTarget("h.example", "root"), "run@2"),
        ("root@lab7", "lab7", SshTarget("lab7", "root"), None),
        ("203.0.113.7:41022", "203.0.113.7:41022", SshTarget("203.0.113.7", port=41022), None),
        ("localhost", "localhost", SshTarget("localhost"), None),
        ("root@2001:db8::5", "2001:db8::5", SshTarget("2001:db8::5", "root"), None),
        ("2001:db8::5", "2001:db8::5", SshTarget("2001:db8::5"), None),
        ("fe80::1%eth0", "fe80::1%eth0", SshTarget("fe80::1%eth0"), None),
        (
            "root@[2001:db8::5]:40022",
            "[2001:db8::5]:40022",
            SshTarget("2001:db8::5", "root", 40022),
            None,
        ),
        ("root@[2001:db8::5]:run1", "2001:db8::5", SshTarget("2001:db8::5", "root"), "run1"),
        ("ssh://gw", "gw", SshTarget("gw"), None),
        ("ssh://root@[::1]:40022/", "[::1]:40022", SshTarget("::1", "root", 40022), None),
        (
            "ssh -p 41022 root@203.0.113.7 -L 8080:localhost:8080",
            "203.0.113.7:41022",
            SshTarget("203.0.113.7", "root", 41022, ignored=("-L 8080:localhost:8080",)),
            None,
        ),
        (
            "root@203.0.113.7 -p 41022",
            "203.0.113.7:41022",
            SshTarget("203.0.113.7", "root", 41022),
            None,
        ),
    ],
)
def test_a_remote_box(
    names: Names, text: str, name: str, target: SshTarget, run: str | None
) -> None:
    box = parse_target(text, names)
    assert (box.name, box.text, box.target, box.run) == (name, text, target, run)
    assert box.roots == DEFAULT_ROOTS


@pytest.mark.parametrize(
    ("text", "root", "run"),
    [
        ("ssh://root@h.example:22/data/my%20runs", "/data/my runs", None),
        ("ssh://root@h.example/data/runs:exp/run1", "/data/runs", "exp/run1"),
        ("ssh://h.example/~/runs/", "~/runs", None),
        ("ssh://h.example/data:new%0Aline", "/data", "new\nline"),
        ("ssh://h.example/data:new\nline", "/data", "new\nline"),
        ("ssh://h.example/data/odd%2Fname", "/data/odd/name", None),
        ("root@h.example:/data/runs", "/data/runs", None),
        ("root@h.example:41022:/data/runs", "/data/runs", None),
        ("root@h.example:41022/data/runs/", "/data/runs", None),
        ("[2001:db8::5]:41022/data/runs", "/data/runs", None),
        ("root@h.example:~/exp", "~/exp", None),
    ],
)
def test_a_root_in_the_address_is_the_only_one(
    names: Names, text: str, root: str, run: str | None
) -> None:
    box = parse_target(text, names)
    assert (box.roots, box.run) == ((root,), run)


def test_the_roots_of_the_configuration_are_searched_everywhere(names: Names) -> None:
    names = Names(Settings(watch=WatchSettings(runs=("/a", "~/runs"))), names.cwd, names.ssh_hosts)
    assert parse_target("root@h", names).roots == ("/a", "~/runs")
