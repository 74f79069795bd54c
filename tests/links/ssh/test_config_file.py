"""How ~/.ssh/config is read: includes, blocks, patterns and words."""

from __future__ import annotations

from pathlib import Path

from tests.links.ssh.config_user import User
from tui.links.ssh.config_file import matches_list, split_words


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


def test_an_include_inside_a_block_counts_for_that_block_alone(either: User) -> None:
    (either.ssh / "inner").write_text("Port 2222\nHost *\n  User inner\n")
    either.write(f"Host gpu1\n  Include {either.ssh}/inner\nHost *\n  User outer\n")
    assert either.ask("gpu1").box.address == "inner@gpu1:2222"
    assert either.ask("gpu2").box.address == "outer@gpu2:22"


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


def test_an_unreadable_configuration_is_a_notice(user: User, tmp_path: Path) -> None:
    (user.ssh / "config").symlink_to(tmp_path / ("x" * 300))
    notices = user.ask("gpu1").notices
    assert len(notices) == 1
    assert "was not read" in notices[0]


def test_equals_signs_quotes_and_comments(either: User) -> None:
    either.write(
        '# a comment\n\nHost=gpu1\n\tUser = "root"\n  port=40022 # not the default\n'
        '  IdentityFile "~/my keys/id"\n'
    )
    box = either.ask("gpu1").box
    assert box.address == "root@gpu1:40022"
    assert box.named_keys == (either.home / "my keys/id",)


def test_patterns_know_only_star_and_question_mark() -> None:
    assert matches_list("gpu[1]", ["gpu[1]"])
    assert not matches_list("gpu1", ["gpu[1]"])
    assert matches_list("gpu1", ["gpu?"])
    assert not matches_list("gpu1", ["*", "!gpu1"])


def test_words_are_split_as_openssh_splits_them() -> None:
    assert split_words(r'a "b c" d\ e "f\"g" #h') == ["a", "b c", "d e", 'f"g']
    assert split_words('a "b') == ["a"]
