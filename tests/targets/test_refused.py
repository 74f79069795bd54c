"""What is no target, and why; a wrong one costs no other."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tui.boxes import SshTarget
from tui.config.settings import BoxSettings, Settings
from tui.errors import UserError
from tui.fleet import join_boxes
from tui.targets import Names, parse_target


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("", "'' is no target", "a target is a box of boxtop.toml"),
        ("  ", "is no target", "a target is"),
        ("a\0b", "is no target", "a target is"),
        ("/no/such/dir", "no such directory: /no/such/dir", "of another machine it is"),
        ("./runz", "no such directory: ./runz", "looked for /"),
        ("~nobody-here/x", "no such directory: ~nobody-here/x", "correct the path"),
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
