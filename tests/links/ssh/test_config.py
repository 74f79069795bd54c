"""A host of ~/.ssh/config means to boxtop what it means to ssh."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.links.ssh.config_user import User, way
from tui.links.base import LinkError
from tui.links.ssh.config import ConfigFiles


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


def test_the_password_database_decides_where_ssh_looks(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not ConfigFiles.of_user().openssh
    assert ConfigFiles.of_user().home == home
    monkeypatch.setenv("HOME", str(Path("~root").expanduser()))
    assert ConfigFiles.of_user(home / "other").list == (home / "other",)
