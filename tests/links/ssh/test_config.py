"""A host of ~/.ssh/config means to boxtop what it means to ssh."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.sshd import why_no_sshd
from tui.boxes import SshTarget
from tui.links.base import LinkError
from tui.links.ssh.config import ConfigFiles, parse_address, resolve
from tui.links.ssh.config_file import matches_list, split_words
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


@pytest.fixture
def user(home: Path) -> User:
    return User(home, openssh=False)


@pytest.fixture(params=["own parser", "ssh -G"])
def either(home: Path, request: pytest.FixtureRequest) -> User:
    openssh = request.param == "ssh -G"
    if openssh and why_no_sshd():
        pytest.skip("OpenSSH is not installed")
    return User(home, openssh)


def way(plan: Plan) -> str:
    return " -> ".join(hop.address for hop in plan.hops)


def test_includes_are_followed_nested_missing_and_in_a_loop(user: User) -> None:
    user.copy("SSH-05")
    box = user.ask("gpu1").box
    assert box.address == "root@203.0.113.7:40022"
    assert box.named_keys == (user.ssh / "id_rent",)


def test_ssh_itself_agrees_on_the_included_host(either: User) -> None:
    either.copy("SSH-05")
    (either.ssh / "config.d" / "loop.conf").unlink()  # ssh refuses a loop, boxtop ends it
    config = (either.ssh / "config").read_text()
    either.write(config.replace("config.d/", f"{either.ssh}/config.d/"))
    box = either.ask("gpu1").box
    assert box.address == "root@203.0.113.7:40022"
    assert box.named_keys == (either.ssh / "id_rent",)


def test_a_match_that_cannot_be_evaluated_is_not_applied_and_named(user: User) -> None:
    user.copy("SSH-07")
    plan = user.ask("gpu1")
    assert plan.box.address == "root@203.0.113.7:22"
    assert plan.box.named_keys == ()
    assert len(plan.notices) == 2
    assert "tagged" in plan.notices[0]
    assert "localnetwork" in plan.notices[1]


def test_a_configuration_that_ssh_refuses_is_read_by_our_own_parser(home: Path) -> None:
    user = User(home, openssh=True)
    user.write("Match unheardof work\n  User wrong\nHost gpu1\n  User root\n")
    plan = user.ask("gpu1")
    assert plan.box.user == "root"
    assert any("unheardof" in notice for notice in plan.notices)


def test_jumps_are_chained_left_to_right_with_their_own_configuration(either: User) -> None:
    either.copy("SSH-09")
    local_user = either.ask("203.0.113.99").box.user
    assert way(either.ask("gpu1")) == (
        f"{local_user}@203.0.113.10:2222 -> ops@203.0.113.20:2200 -> root@10.0.0.5:22"
    )


def test_proxyjump_none_is_a_direct_connection(either: User) -> None:
    either.copy("SSH-09")
    assert either.ask("gpu2").jumps == ()


def test_a_jump_host_for_all_hosts_is_not_reached_through_itself(either: User) -> None:
    either.copy("SSH-09")
    assert either.ask("gw").jumps == ()
    assert [hop.alias for hop in either.ask("elsewhere").jumps] == ["gw"]


def test_jumps_in_a_circle_are_an_error(user: User) -> None:
    user.write("Host a\n  ProxyJump b\nHost b\n  ProxyJump a\n")
    with pytest.raises(LinkError, match="leads back") as caught:
        user.ask("a")
    assert caught.value.kind == "usage"


def test_the_first_jump_host_may_have_a_jump_host_of_its_own(either: User) -> None:
    either.write("Host box\n  ProxyJump inner\nHost inner\n  ProxyJump outer\n")
    assert [hop.alias for hop in either.ask("box").jumps] == ["outer", "inner"]


def test_identities_only_is_taken_over(either: User) -> None:
    either.copy("SSH-10")
    box = either.ask("gpu1").box
    assert box.identities_only
    assert box.named_keys == (either.ssh / "id_rent",)
    assert box.default_keys == ()


def test_what_the_target_says_wins(either: User) -> None:
    either.copy("SSH-09")
    plan = either.ask(
        "gpu1", user="me", port=2022, identity_files=("~/mine", "/k/other"), jump="none"
    )
    assert way(plan) == "me@10.0.0.5:2022"
    assert plan.box.named_keys == (either.home / "mine", Path("/k/other"))


def test_a_named_key_of_the_target_stands_before_those_of_the_configuration(either: User) -> None:
    either.copy("SSH-10")
    box = either.ask("gpu1", identity_files=("~/mine",)).box
    assert box.named_keys == (either.home / "mine", either.ssh / "id_rent")


def test_a_jump_of_the_target_replaces_a_proxy_command(either: User) -> None:
    either.write("Host box\n  ProxyCommand nc %h %p\n")
    assert either.ask("box").box.proxy_command == "nc box 22"
    plan = either.ask("box", jump="ops@[2001:db8::6]:2200")
    assert plan.box.proxy_command is None
    assert plan.jumps[0].address == "ops@[2001:db8::6]:2200"


def test_without_any_configuration_the_usual_keys_are_tried(either: User) -> None:
    either.write("")
    box = either.ask("203.0.113.7").box
    assert box.named_keys == ()
    assert box.default_keys[0] == either.ssh / "id_ed25519"
    assert box.port == 22
    assert box.host_key_policy == "ask"


def test_four_keys_of_ones_own_are_not_taken_for_the_usual_ones(either: User) -> None:
    names = ["id_work", "id_home", "id_lab", "id_rsa"]
    either.write("Host *\n" + "".join(f"  IdentityFile ~/.ssh/{name}\n" for name in names))
    assert either.ask("gpu1").box.named_keys == tuple(either.ssh / name for name in names)


def test_tokens_and_home_are_expanded(either: User) -> None:
    either.write(
        "Host gpu1\n  HostName %h.example.org\n  User me\n  Port 2222\n"
        "  IdentityFile ~/keys/%r@%h\n  IdentityFile %d/k-%n-%p-%%\n"
        "  CertificateFile ~/keys/c-cert.pub\n  IdentityAgent ~/agent.sock\n"
        "  UserKnownHostsFile ~/known /elsewhere/known\n  HostKeyAlias rented\n"
        "  ConnectTimeout 7\n  StrictHostKeyChecking accept-new\n  ProxyCommand nc -X5 %h %p\n"
    )
    if either.openssh:
        config = (either.ssh / "config").read_text()
        either.write(
            config.replace("~/known", f"{either.home}/known").replace("~/agent", "%d/agent")
        )
    box = either.ask("gpu1").box
    assert box.hostname == "gpu1.example.org"
    home = either.home
    assert box.named_keys == (home / "keys/me@gpu1.example.org", home / "k-gpu1-2222-%")
    assert box.certificates == (home / "keys/c-cert.pub",)
    assert box.known_hosts == (home / "known", Path("/elsewhere/known"))
    assert box.host_key_alias == "rented"
    assert box.connect_timeout == 7
    assert box.host_key_policy == "accept-new"
    assert box.proxy_command == "nc -X5 gpu1.example.org 2222"
    if not either.openssh:
        assert box.agent == str(home / "agent.sock")


def test_the_first_value_wins_and_negated_patterns_exclude(either: User) -> None:
    either.write(
        "Host gpu* !gpu9\n  User first\nHost gpu*\n  User second\n  Port 40022\n"
        "Match originalhost gpu9 user second\n  HostName 203.0.113.9\n"
        "Match host 203.0.113.9\n  Port 1\n  HostKeyAlias nine\n"
        "Match all\n  HostKeyAlias all\n"
    )
    assert either.ask("gpu1").box.address == "first@gpu1:40022"
    assert either.ask("gpu1").box.host_key_alias == "all"
    nine = either.ask("gpu9").box
    assert nine.address == "second@203.0.113.9:40022"
    assert nine.host_key_alias == "nine"


def test_an_include_inside_a_block_counts_for_that_block_alone(either: User) -> None:
    (either.ssh / "inner").write_text("Port 2222\nHost *\n  User inner\n")
    either.write(f"Host gpu1\n  Include {either.ssh}/inner\nHost *\n  User outer\n")
    assert either.ask("gpu1").box.address == "inner@gpu1:2222"
    assert either.ask("gpu2").box.address == "outer@gpu2:22"


def test_equals_signs_quotes_and_comments(either: User) -> None:
    either.write(
        '# a comment\n\nHost=gpu1\n\tUser = "root"\n  port=40022 # not the default\n'
        '  IdentityFile "~/my keys/id"\n'
    )
    box = either.ask("gpu1").box
    assert box.address == "root@gpu1:40022"
    assert box.named_keys == (either.home / "my keys/id",)


def test_the_agent_can_be_switched_off_or_moved(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSH_AUTH_SOCK", "/run/agent")
    monkeypatch.setenv("OTHER", "/run/other")
    user.write(
        "Host off\n  IdentityAgent none\nHost var\n  IdentityAgent $OTHER\n"
        "Host same\n  IdentityAgent SSH_AUTH_SOCK\n"
    )
    agents = [user.ask(host).box.agent for host in ("off", "var", "same", "other")]
    assert agents == [None, "/run/other", "/run/agent", "/run/agent"]


def test_strict_host_key_checking_off_still_never_follows_a_changed_key(either: User) -> None:
    either.write("Host *\n  StrictHostKeyChecking no\n")
    assert either.ask("gpu1").box.host_key_policy == "accept-new"


def test_settings_that_only_openssh_can_honour_are_named(either: User) -> None:
    either.write("Host gpu1\n  BindAddress 192.0.2.1\n")
    assert either.ask("gpu1").box.only_openssh == "BindAddress"
    assert either.ask("gpu2").box.only_openssh is None


@pytest.mark.parametrize("host", ["-oProxyCommand=touch x", "", "a b", "a\0b"])
def test_a_host_that_is_no_name_never_reaches_ssh(either: User, host: str) -> None:
    either.write("")
    with pytest.raises(LinkError) as caught:
        either.ask(host)
    assert caught.value.kind == "usage"


def test_a_bad_port_in_the_configuration_is_named(user: User) -> None:
    user.write("Host gpu1\n  Port ssh\n")
    with pytest.raises(LinkError, match="'ssh' is no port for gpu1"):
        user.ask("gpu1")


def test_an_unreadable_configuration_is_a_notice(user: User, tmp_path: Path) -> None:
    (user.ssh / "config").symlink_to(tmp_path / ("x" * 300))
    notices = user.ask("gpu1").notices
    assert len(notices) == 1
    assert "was not read" in notices[0]


def test_the_password_database_decides_where_ssh_looks(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not ConfigFiles.of_user().openssh
    assert ConfigFiles.of_user().home == home
    monkeypatch.setenv("HOME", str(Path("~root").expanduser()))
    assert ConfigFiles.of_user(home / "other").list == (home / "other",)


@pytest.mark.parametrize(
    ("text", "user", "host", "port"),
    [
        ("gw", None, "gw", None),
        ("ops@203.0.113.20:2200", "ops", "203.0.113.20", 2200),
        ("ssh://ops@gw:22", "ops", "gw", 22),
        ("[2001:db8::6]:22", None, "2001:db8::6", 22),
        ("2001:db8::6", None, "2001:db8::6", None),
    ],
)
def test_addresses_of_jump_hosts(text: str, user: str | None, host: str, port: int | None) -> None:
    assert parse_address(text) == SshTarget(host, user, port)


def test_an_address_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(LinkError, match="no address"):
        parse_address("a:b:c@d e")


def test_patterns_know_only_star_and_question_mark() -> None:
    assert matches_list("gpu[1]", ["gpu[1]"])
    assert not matches_list("gpu1", ["gpu[1]"])
    assert matches_list("gpu1", ["gpu?"])
    assert not matches_list("gpu1", ["*", "!gpu1"])


def test_words_are_split_as_openssh_splits_them() -> None:
    assert split_words(r'a "b c" d\ e "f\"g" #h') == ["a", "b c", "d e", 'f"g']
    assert split_words('a "b') == ["a"]
