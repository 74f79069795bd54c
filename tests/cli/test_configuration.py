"""What boxtop.toml says is listed with `boxes`, and begun, checked and shown with `config`."""

from __future__ import annotations

import json
import stat
from pathlib import Path

from tests.cli.conftest import Boxtop, write_config


def test_boxes_are_listed_with_what_they_cost(boxtop: Boxtop, home: Path) -> None:
    write_config(
        home,
        '[box.lab]\nssh = "root@203.0.113.7 -p 41022"\nprice_per_hour = 3.4828\n'
        'disk_gb = 250\nstorage_gb_month = 0.20\n[box.free]\nssh = "root@203.0.113.8"\n',
    )
    called = boxtop("boxes")
    assert called.code == 0
    lines = called.out.splitlines()
    assert lines[0].startswith(
        "lab   root@203.0.113.7 -p 41022  $3.48/h running  $0.0685/h stopped"
    )
    assert max(map(len, lines)) <= 80
    entries = json.loads(boxtop("boxes", "--json").out)["boxes"]
    assert entries[0]["kind"] == "ssh"
    assert entries[0]["rate_running"] == {"usd_per_hour": 3.4828, "source": "user"}
    assert entries[0]["rate_stopped"]["source"] == "computed"
    assert entries[1]["rate_running"] == {"usd_per_hour": None, "source": "unknown"}
    assert entries[1]["rate_stopped"] == {"usd_per_hour": None, "source": "unknown"}


def test_nobody_is_told_in_sentences(boxtop: Boxtop) -> None:
    called = boxtop("boxes")
    assert called.out.startswith("no boxes: boxtop.toml names none\n  name one (boxtop 'ssh -p")


def test_without_boxes_the_next_steps_are_named(boxtop: Boxtop, home: Path) -> None:
    (home / ".ssh").mkdir()
    (home / ".ssh" / "config").write_text("Host gpu1\n  HostName 203.0.113.7\n")
    called = boxtop("boxes")
    assert called.code == 0
    words = " ".join(called.out.split())
    assert "boxtop config init" in words and "boxtop demo" in words
    assert "hosts of ~/.ssh/config can be named, too: gpu1" in words


def test_a_box_whose_provider_tells_the_address_is_right(boxtop: Boxtop, home: Path) -> None:
    write_config(home, '[providers.vast]\nkey = "k"\n[box.lab]\ninstance = "vast:12345678"\n')
    checked = boxtop("config", "check")
    assert checked.code == 0 and "is right" in checked.out and checked.err == ""


def test_an_account_alone_is_somebody(boxtop: Boxtop, home: Path) -> None:
    write_config(home, '[providers.vast]\nkey = "k"\n')
    checked = boxtop("config", "check")
    assert checked.code == 0 and "is right" in checked.out
    assert "no box of its own; `boxtop boxes` lists those of vast" in checked.out


def test_a_box_whose_provider_is_not_enabled_is_a_mistake_with_its_line(
    boxtop: Boxtop, home: Path
) -> None:
    text = '[box.lab]\ninstance = "vast:1"\nprice_per_hour = 1\n[providers.vast]\nenabled = false\n'
    path = write_config(home, text)
    checked = boxtop("config", "check")
    assert checked.code == 2 and "is right" not in checked.out
    why = f"{path}:1: box.lab.instance: [providers.vast] is not enabled"
    assert why in checked.err and "add [providers.vast] to boxtop.toml" in checked.err
    assert why in boxtop("logs", "lab").err
    assert "by boxtop.toml alone: [providers.vast] is not enabled" in boxtop("cost", "lab").err
    listed, document = boxtop("boxes"), boxtop("boxes", "--json")
    assert listed.code == document.code == 2 and why in listed.err
    assert json.loads(document.out)["boxes"][0]["error"].startswith(why)
    named = boxtop("status", "vast:1")
    assert named.code == 2 and "add [providers.vast] to boxtop.toml" in named.err


def test_config_verbs(boxtop: Boxtop, home: Path) -> None:
    path = home / ".config" / "boxtop" / "boxtop.toml"
    assert boxtop("config", "path").out == f"{path}\n"
    assert "defaults; there is no" in boxtop("config").out
    assert boxtop("config", "init").out == f"{path}\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = boxtop("config", "init")
    assert again.code == 2 and "exists and stays as it is" in again.err
    path.write_text('[box.lab]\nssh = "root@203.0.113.7"\n[providers.vast]\nkey = "s3cret"\n')
    path.chmod(0o644)
    checked = boxtop("config", "check")
    assert checked.code == 0
    assert checked.out.startswith(f"{path} is right\nlab  root@203.0.113.7  ")
    assert "others may read it (mode 0644)" in checked.err
    shown = boxtop("config", "show").out + boxtop("config", "show", "--json").out
    assert "s3cret" not in shown and '"***"' in shown
