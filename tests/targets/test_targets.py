"""Everything a person may type for a box, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tui.boxes import Box, LocalTarget, RecordingTarget, SshTarget
from tui.config.settings import BoxSettings, Settings, WatchSettings
from tui.errors import UserError
from tui.fleet import join_boxes
from tui.targets import Names, parse_target
from tui.targets.ssh_hosts import SshHosts

RUNS = Path(__file__).parent.parent / "data" / "runs"
DEFAULT_ROOTS = ("/root/runs", "/workspace/runs", "~/runs")


@pytest.fixture
def names(tmp_path: Path) -> Names:
    """A configuration, an ssh configuration and a directory with runs."""
    for directory in (
        "runs/exp/run1",
        "runs/exp/run12",
        "odd:name/run1",
        "lab",
        "gpu1",
        "it's $(x)",
    ):
        (tmp_path / directory).mkdir(parents=True)
    (tmp_path / "runs/exp/run1/status.json").write_text("{}")
    (tmp_path / "recording.jsonl").write_text("")
    (tmp_path / "notes.txt").write_text("")
    box = {
        "lab": BoxSettings(
            ssh="root@203.0.113.7 -p 41022",
            runs=("/data/runs", "~/runs"),
            console="/root/train.log",
            price_per_hour=3.4828,
        ),
        "desk": BoxSettings(path="runs", price_per_hour=0.1),
        "gpu1": BoxSettings(price_per_hour=0.69),
        "lost": BoxSettings(price_per_hour=1.0),
    }
    known = SshHosts(("gpu1", "gw", "node-*", "*"))
    return Names(Settings(box=box), tmp_path, lambda: known)


def test_a_name_of_the_configuration(names: Names) -> None:
    assert parse_target("lab", names) == Box(
        name="lab",
        text="root@203.0.113.7 -p 41022",
        target=SshTarget("203.0.113.7", "root", 41022),
        roots=("/data/runs", "~/runs", "/root/runs", "/workspace/runs"),
        console="/root/train.log",
        price_per_hour=3.4828,
    )


def test_a_run_of_a_named_box(names: Names) -> None:
    box = parse_target("lab:exp/run 12:b", names)
    assert (box.name, box.run) == ("lab", "exp/run 12:b")


def test_a_named_box_without_an_address_is_a_host_of_the_ssh_configuration(names: Names) -> None:
    box = parse_target("gpu1", names)
    assert (box.target, box.price_per_hour) == (SshTarget("gpu1"), 0.69)
    with pytest.raises(UserError, match=r"box\.lost says neither ssh nor path") as caught:
        parse_target("lost", names)
    assert "[box.lost]: ssh = " in str(caught.value.hint)


def test_a_named_box_of_this_machine(names: Names) -> None:
    box = parse_target("desk", names)
    assert box.target == LocalTarget(names.cwd / "runs")
    assert (box.name, box.roots, box.price_per_hour) == ("desk", (str(names.cwd / "runs"),), 0.1)


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


@pytest.mark.parametrize(
    ("text", "path", "name", "run"),
    [
        ("runs", "runs", "runs", None),
        ("./runs/", "runs", "runs", None),
        ("runs/exp/run1", "runs/exp/run1", "run1", None),
        ("runs/exp/run1/status.json", "runs/exp/run1", "run1", None),
        ("runs:exp/run1", "runs", "runs", "exp/run1"),
        ("odd:name", "odd:name", "odd:name", None),
        ("odd:name:run1", "odd:name", "odd:name", "run1"),
        ("./gpu1", "gpu1", "gpu1", None),
        ("it's $(x)", "it's $(x)", "it's $(x)", None),
        (".", ".", None, None),
    ],
)
def test_a_directory_of_this_machine(
    names: Names, text: str, path: str, name: str | None, run: str | None
) -> None:
    expected = names.cwd / path
    box = parse_target(text, names)
    assert (box.target, box.run) == (LocalTarget(expected), run)
    assert (box.name, box.roots) == (name or names.cwd.name, (str(expected),))


def test_the_home_directory(names: Names, home: Path) -> None:
    (home / "runs").mkdir()
    assert parse_target("~/runs", names).target == LocalTarget(home / "runs")
    assert parse_target("~", names).target == LocalTarget(home)


def test_a_recording(names: Names) -> None:
    timeline = RUNS / "yolo9t_long" / "timeline.jsonl"
    box = parse_target(str(timeline), names)
    assert (box.name, box.target) == ("yolo9t_long", RecordingTarget(timeline))
    assert parse_target("recording.jsonl", names).target == RecordingTarget(
        names.cwd / "recording.jsonl"
    )


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("", "'' is no target", "a target is a box of boxtop.toml"),
        ("  ", "is no target", "a target is"),
        ("a\0b", "is no target", "a target is"),
        ("/no/such/dir", "no such directory: /no/such/dir", None),
        ("./runz", "no such directory: ./runz", "looked for /"),
        ("~nobody-here/x", "no such directory: ~nobody-here/x", None),
        ("../recording.jsonl", "no such directory: ../recording.jsonl", "looked for /"),
        ("missing.jsonl", "'missing.jsonl' is no box of boxtop.toml", "a host of that name write"),
        ("desks", "'desks' is no box of boxtop.toml, no host of", "did you mean desk? "),
        ("lap", "'lap' is no box of boxtop.toml", "did you mean lab? to reach a host of that name"),
        ("lap:run1", "'lap' is no box of boxtop.toml", "did you mean lab?"),
        ("notes.txt", "notes.txt is a file, but no recording", "name the run's directory"),
        ("/dev/null", "/dev/null is neither a directory nor a recording", "a target is"),
        ("lab:", "'lab:' names no run", "write TARGET:RUN"),
        ("runs:", "'runs:' names no run", "write TARGET:RUN"),
        ("root@h:99999", "the port '99999' must be a number from 1 to 65535", None),
        ("root@[::1", "is no host name", None),
        ("root@:22", "names no host", None),
        ("@h", "the user '' is no user name", None),
        ("-oProxyCommand=x@h", "the user '-oProxyCommand=x' is no user name", None),
        ("root@-oProxyCommand=x", "the host '-oProxyCommand=x' starts with a dash", None),
        ("ssh://-oProxyCommand=x", "starts with a dash", None),
        ("ssh://root@%2DoProxyCommand=x", "starts with a dash", None),
        ("ssh://root:pw@h", "a password in an address is not used", "log in with a key"),
        ("ssh://root@h:port", "the port 'port' must be", None),
        ("ssh://root@h/data%0A/runs:run1", "has control characters", None),
        ("ssh://", "names no host", None),
        ("root@h;reboot", "is no host name", None),
        ("vastai ssh-url 123", "is no ssh line and no path", "begins with the word ssh"),
        ("scp -P 41022 root@203.0.113.7:x .", "is no ssh line", "begins with the word ssh"),
        ("sshpass -p x ssh root@203.0.113.7", "is no ssh line", "begins with the word ssh"),
        ("root@h\x1b]0;x\x07", "is no host name", None),
    ],
)
def test_what_is_no_target_says_why(
    names: Names, text: str, message: str, hint: str | None
) -> None:
    with pytest.raises(UserError) as caught:
        parse_target(text, names)
    assert message in str(caught.value)
    assert not {"\x1b", "\x07", "\0"} & set(str(caught.value))
    if hint is not None:
        assert hint in str(caught.value.hint)


def test_a_configured_path_that_is_gone_names_its_key(names: Names) -> None:
    gone = Names(Settings(box={"desk": BoxSettings(path="/no/such")}), names.cwd, names.ssh_hosts)
    with pytest.raises(UserError, match=r"box\.desk\.path: no such directory: /no/such"):
        parse_target("desk", gone)


def test_a_box_that_is_configured_wrong_leaves_the_others(names: Names) -> None:
    wrong = {"desk": BoxSettings(path="/no/such"), "lost": BoxSettings(), "gpu1": BoxSettings()}
    places = {"desk": "/x/boxtop.toml:2"}
    desk, lost, gpu1 = join_boxes(
        [], Names(Settings(box=wrong), names.cwd, names.ssh_hosts, places)
    )
    assert desk.fault == "/x/boxtop.toml:2: box.desk.path: no such directory: /no/such"
    assert lost.fault is not None and "says neither ssh nor path" in lost.fault
    assert gpu1.fault is None and gpu1.target == SshTarget("gpu1")


@given(text=st.text(max_size=80) | st.text(alphabet="root@h[]:.~/-%20ssh \n\0\udcff'", max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_a_box_or_a_user_error(names: Names, text: str) -> None:
    try:
        box = parse_target(text, names)
    except UserError as error:
        assert str(error)
        return
    assert box.name and box.roots
    if isinstance(box.target, SshTarget):
        assert not box.target.host.startswith("-")
        assert not (box.target.user or "").startswith("-")


def test_hosts_of_the_ssh_configuration_are_found_with_includes(home: Path) -> None:
    (home / ".ssh" / "config.d").mkdir(parents=True)
    (home / ".ssh" / "config").write_text("Include config.d/*\nHost *\n  User root\n")
    (home / ".ssh" / "config.d" / "gpu").write_text("Host gpu1 gpu-* !gpu-0\n  Port 41022\n")
    hosts = SshHosts.of_user()
    assert hosts.names == ("gpu1",)
    assert hosts.knows("gpu1") and hosts.knows("gpu-7")
    assert not hosts.knows("elsewhere")
    assert parse_target("gpu1", Names()).target == SshTarget("gpu1")


def test_all_boxes_of_the_configuration_in_its_order(names: Names) -> None:
    boxes = {name: names.settings.box[name] for name in ("lab", "gpu1", "desk")}
    everyone = join_boxes([], Names(Settings(box=boxes), names.cwd, names.ssh_hosts))
    assert [box.name for box in everyone] == ["lab", "gpu1", "desk"]


def test_boxes_that_a_person_named_have_names_of_their_own(names: Names) -> None:
    given = ["lab:run1", "lab:run1", "lab:run2", "root@h", "ann@h", "runs", "./runs/", "./gpu1"]
    assert [box.name for box in join_boxes(given, names)] == [
        "lab:run1",
        "lab:run2",
        "root@h",
        "ann@h",
        "runs",
        "gpu1",
    ]


def test_a_box_has_the_same_name_and_mirror_whichever_stands_first(names: Names) -> None:
    one, other = "ssh://root@h/A", "ssh://root@h/B"
    forth, back = join_boxes([one, other], names), join_boxes([other, one], names)
    assert [box.name for box in forth] == ["h:/A", "h:/B"]
    assert forth == back[::-1]
    assert {box.kept_as for box in (*forth, parse_target(one, names))} == {"ssh://root@h"}


def test_a_mirror_hangs_on_user_host_port_and_jump_host(names: Names) -> None:
    given = [
        *("root@h", "ann@h", "h.example", "root@h:2222", "root@2001:db8::5", "gw", "lab"),
        *("ssh -J one root@10.0.0.5", "ssh -J two root@10.0.0.5"),
    ]
    kept = [parse_target(text, names).kept_as for text in given]
    assert len(set(kept)) == len(given)
    assert kept[-3:] == ["lab", "ssh://root@10.0.0.5,jump=one", "ssh://root@10.0.0.5,jump=two"]
    assert "gw" not in kept
    assert {box.kept_as for box in join_boxes(["lab:run1", "lab:run2"], names)} == {"lab"}
