"""What each verb prints."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path

import pytest

from tests.cli.conftest import Boxtop
from tests.cli.runs import CASES, RUNS, copy_run, live_run
from tests.sshd import SshServer
from tui.cli import join_ssh_words
from tui.cli.commands import VERBS


def write_config(home: Path, text: str) -> Path:
    path = home / ".config" / "boxtop" / "boxtop.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    path.chmod(0o600)
    return path


def test_help_names_every_verb_and_each_has_its_own(boxtop: Boxtop) -> None:
    overview = boxtop("--help")
    assert overview.code == 0
    for verb in VERBS:
        assert f"\n  {verb} " in overview.out
        told = boxtop(verb, "--help")
        assert told.code == 0 and told.err == ""
        assert max(map(len, told.out.splitlines())) <= 90
    files = {path.stem for path in (Path("tui") / "verbs").glob("[a-z]*.py")}
    assert files - {"screen"} == set(VERBS)


def test_help_is_what_people_try_first(boxtop: Boxtop) -> None:
    assert boxtop("help").out == boxtop("--help").out
    assert boxtop("help", "logs").out == boxtop("logs", "--help").out


def test_the_version_is_the_packages(boxtop: Boxtop) -> None:
    assert boxtop("status", "--help").code == 0
    called = boxtop("--ascii", "--version")
    assert (called.code, called.out) == (0, "boxtop 0.1.0\n")


def test_without_a_terminal_no_verb_means_status(
    boxtop: Boxtop, home: Path, tmp_path: Path
) -> None:
    copy_run("yolo9t_long", tmp_path / "run1")
    for arguments in ([tmp_path], ["watch", tmp_path], ["status", tmp_path]):
        called = boxtop(*arguments)
        assert called.code == 0 and "completed  run1  100/100" in called.out
    assert json.loads(boxtop(tmp_path, "--json").out)["schema_version"] == 1
    write_config(home, f'[box.desk]\npath = "{tmp_path}"\n')
    called = boxtop()
    assert called.code == 0 and called.out.startswith("desk  ")


def test_global_options_stand_before_or_after_the_verb(boxtop: Boxtop, tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text('[box.desk]\npath = "."\n')
    for arguments in (["--config", config, "boxes"], ["boxes", "--config", config]):
        assert boxtop(*arguments).out.startswith("desk  .  ")
    assert boxtop("--read-only", "--no-mouse", "boxes", "--no-color", "--ascii").code == 0


def test_the_quick_way_of_status_is_the_same_as_the_long_one(boxtop: Boxtop) -> None:
    quick = boxtop("status", RUNS, "--json")
    long = boxtop("--no-color", "status", RUNS, "--json")
    assert quick.code == long.code == 3

    def steady(text: str) -> str:
        return re.sub(r'"(generated_at|\w*age_s|clock_skew_s|free)": .*', "", text)

    assert steady(quick.out) == steady(long.out)


def test_a_run_directory_that_was_named_tells_of_the_live_run_beside_it(
    boxtop: Boxtop, tmp_path: Path
) -> None:
    copy_run("yolo9t_long", tmp_path / "run1")
    os.utime(tmp_path / "run1" / "status.json", (1, 1))
    live_run(tmp_path / "run12")
    for target in (tmp_path / "run1", f"{tmp_path}:run1"):
        called = boxtop("status", target)
        assert called.code == 0
        assert "note: run12 is live" in called.out
        assert "completed  run1  100/100" in called.out
        assert "running" not in called.out
    document = json.loads(boxtop("status", tmp_path / "run1", "--json").out)
    assert [run["id"] for run in document["boxes"][0]["runs"]] == ["run1"]


def test_a_run_is_named_by_its_path_or_by_its_end_when_that_is_enough(
    boxtop: Boxtop, tmp_path: Path
) -> None:
    copy_run("yolo9t_long", tmp_path / "exp" / "run1")
    copy_run("yolo9t_early", tmp_path / "exp" / "run2")
    copy_run("yolox_done", tmp_path / "other" / "run2")
    assert "exp/run1" in boxtop("status", f"{tmp_path}:exp/run1").out
    assert "exp/run1" in boxtop("status", f"{tmp_path}:run1").out
    assert boxtop("status", f"{tmp_path}:run2").code == 2


def test_a_recorded_process_that_ended_is_dead(boxtop: Boxtop) -> None:
    called = boxtop("status", RUNS / "yolo9t_killed" / "timeline.jsonl", "--json")
    (run,) = json.loads(called.out)["boxes"][0]["runs"]
    assert called.code == 3
    assert (run["verdict"], run["pid_alive"]) == ("dead", None)


def test_a_recording_that_cannot_be_written_or_played_is_told_at_once(
    boxtop: Boxtop, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    for place in ("/proc/nope", tmp_path / "file" / "x"):
        called = boxtop("watch", "--record", place, RUNS)
        assert called.code == 2 and called.err.startswith(f"boxtop: --record: {place}: ")
    called = boxtop("watch", "--speed", "10", RUNS)
    assert called.code == 2 and "--speed is for recordings" in called.err


def test_a_run_that_is_being_copied_is_none(boxtop: Boxtop, tmp_path: Path) -> None:
    copy_run("yolo9t_long", tmp_path / "run1")
    copy_run("yolo9t_early", tmp_path / ".run3.tmp")
    (box,) = json.loads(boxtop("status", tmp_path, "--json").out)["boxes"]
    assert [run["id"] for run in box["runs"]] == ["run1"]


def test_a_plot_of_no_column_is_a_mistake(boxtop: Boxtop, tmp_path: Path) -> None:
    copy_run("yolo9t_long", tmp_path / "run1")
    for key in ("", " ", ","):
        called = boxtop("plot", tmp_path, key)
        assert called.code == 2 and "names no column" in called.err


def test_nobody_is_told_in_sentences(boxtop: Boxtop) -> None:
    called = boxtop("boxes")
    assert called.out.startswith("no boxes: boxtop.toml names none\n  name one (boxtop 'ssh -p")


def test_a_long_list_of_names_is_broken_into_lines(boxtop: Boxtop, tmp_path: Path) -> None:
    for number in range(12):
        copy_run("yolo9t_early", tmp_path / f"a_run_with_quite_a_long_name_{number}")
    for arguments in (["status", f"{tmp_path}:nothing"], ["logs", tmp_path]):
        hint = boxtop(*arguments).err.splitlines()[1:]
        assert len(hint) > 1 and max(map(len, hint)) <= 100


def test_the_status_of_a_recording(boxtop: Boxtop) -> None:
    called = boxtop("status", RUNS / "yolo9t_long" / "timeline.jsonl", "--json")
    (run,) = json.loads(called.out)["boxes"][0]["runs"]
    assert called.code == 0
    assert (run["verdict"], run["epoch"], run["pid_alive"]) == ("completed", 100, None)
    assert run["best"] == {
        "name": "mAP50-95",
        "value": pytest.approx(0.6457, abs=1e-4),
        "epoch": 88,
    }


def test_two_boxes_of_one_name_are_two(boxtop: Boxtop, tmp_path: Path) -> None:
    for parent in ("a", "b"):
        copy_run("yolo9t_long", tmp_path / parent / "runs" / "run1")
    called = boxtop("status", tmp_path / "a" / "runs", tmp_path / "b" / "runs", "--json")
    assert [box["name"] for box in json.loads(called.out)["boxes"]] == ["runs", "runs-2"]


def test_what_an_ssh_line_had_too_much_is_told(
    boxtop: Boxtop, ssh_box: SshServer, tmp_path: Path
) -> None:
    line = f"ssh -p {ssh_box.port} {ssh_box.user}@127.0.0.1 -L 8080:localhost:8080"
    for arguments in ([line], line.split()):
        called = boxtop("status", *arguments, "--json")
        assert called.code == 0
        assert "not used: -L 8080:localhost:8080" in called.err
        assert json.loads(called.out)["boxes"][0]["target"] == line


@pytest.mark.parametrize(
    ("words", "joined"),
    [
        (["ssh", "-p", "1", "root@h"], ["ssh -p 1 root@h"]),
        (["status", "ssh", "-p", "1", "h", "--json"], ["status", "--json", "ssh -p 1 h"]),
        (["--ascii", "logs", "ssh", "h", "-p", "1"], ["--ascii", "logs", "ssh h -p 1"]),
        (["status", "ssh -p 1 h", "--json"], ["status", "ssh -p 1 h", "--json"]),
        (["status", "ssh"], ["status", "ssh"]),
        (["status", "ssh", "--json"], ["status", "ssh", "--json"]),
        (["ssh", "-i", "my key", "h"], ["ssh -i 'my key' h"]),
        (["--debug", "status", "lab"], ["--debug=", "status", "lab"]),
    ],
)
def test_an_ssh_line_without_quotes_is_one_target(words: list[str], joined: list[str]) -> None:
    assert join_ssh_words(words) == joined


def test_logs_print_the_end_of_the_runs_log(boxtop: Boxtop) -> None:
    run = f"{RUNS}:yolo9t_killed"
    called = boxtop("logs", run, "-n", "2")
    log = (RUNS / "yolo9t_killed" / "train.log").read_text().splitlines()
    assert (called.code, called.out.splitlines()) == (0, log[-2:])
    assert "--console shows what its console caught" in called.err
    assert boxtop("logs", run, "-n", "0").out == ""
    console = boxtop("logs", run, "--console", "-n", "1000")
    assert "COCO Eval" in console.out or len(console.out.splitlines()) > len(log)
    document = json.loads(boxtop("logs", run, "-n", "1", "--json").out)
    assert (document["run"], document["log"]) == ("yolo9t_killed", "run")
    assert document["lines"] == log[-1:]


def test_logs_without_a_run_show_the_live_one_and_say_so(boxtop: Boxtop, tmp_path: Path) -> None:
    copy_run("yolo9t_long", tmp_path / "run1")
    live_run(tmp_path / "run12")
    called = boxtop("logs", tmp_path, "-n", "1")
    assert called.out == "line 20\n"
    assert f"showing run12; {tmp_path}:RUN shows another\n  run1\n" in called.err


def test_a_log_that_is_not_there_is_told(boxtop: Boxtop, tmp_path: Path) -> None:
    run = copy_run("yolo9t_long", tmp_path / "run1")
    (run / "train.log").unlink()
    (run / "console.log").unlink()
    called = boxtop("logs", tmp_path)
    assert (called.code, called.out) == (0, "")
    assert "run1 has no train.log yet" in called.err
    assert "no console log of run1 is known" in boxtop("logs", tmp_path, "--console").err


def test_escapes_of_a_log_do_not_reach_the_terminal(boxtop: Boxtop, tmp_path: Path) -> None:
    run = copy_run("yolo9t_long", tmp_path / "run1")
    (run / "train.log").write_bytes((CASES / "FILE-11" / "train.log").read_bytes())
    out = boxtop("logs", tmp_path).out
    assert "green ok" in out and "next line stays visible" in out
    assert not {chr(code) for code in (*range(32), *range(127, 160))} & set(out) - {"\n", "\t"}


def test_plot_draws_losses_metrics_and_the_learning_rate(boxtop: Boxtop) -> None:
    called = boxtop("plot", f"{RUNS}:yolo9t_long", "--height", "8")
    assert called.code == 0
    lines = called.out.splitlines()
    assert lines[0].startswith("runs yolo9t_long: completed")
    assert all(word in called.out for word in ("loss ", "mAP", "learning rate", "best"))
    assert max(map(len, lines)) <= 80
    narrow = boxtop("plot", f"{RUNS}:yolo9t_long", "train/loss", "--width", "40", "--height", "6")
    assert max(map(len, narrow.out.splitlines())) <= 40


def test_plot_draws_each_key_and_those_joined_by_a_comma_together(boxtop: Boxtop) -> None:
    run = f"{RUNS}:yolo9t_long"
    assert "learning rate" not in boxtop("plot", run, "mAP50").out
    together = boxtop("plot", run, "mAP50,mAP75", "--height", "6").out
    apart = boxtop("plot", run, "mAP50", "mAP75", "--height", "6").out
    assert len(apart.splitlines()) > len(together.splitlines())
    for options in (["--smooth", "0.9"], ["--log-y"]):
        assert boxtop("plot", run, "train/loss", *options).code == 0


def test_plot_without_an_epoch_says_so(boxtop: Boxtop, tmp_path: Path) -> None:
    (live_run(tmp_path / "run1", epochs=0) / "metrics.jsonl").unlink()
    called = boxtop("plot", tmp_path)
    assert called.code == 0 and "no epochs yet" in called.out


def test_plot_gives_numbers_with_gaps(boxtop: Boxtop, tmp_path: Path) -> None:
    run = live_run(tmp_path / "run1", epochs=2)
    with (run / "metrics.jsonl").open("a") as rows:
        rows.write('{"epoch": 3, "train/loss": null, "metrics/mAP50": 0.5}\n')
    document = json.loads(boxtop("plot", tmp_path, "train/loss", "--json").out)
    assert document["epochs"] == [1, 2, 3]
    assert document["series"] == {"train/loss": [3.0, 1.5, None]}


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


def test_without_boxes_the_next_steps_are_named(boxtop: Boxtop, home: Path) -> None:
    (home / ".ssh").mkdir()
    (home / ".ssh" / "config").write_text("Host gpu1\n  HostName 203.0.113.7\n")
    called = boxtop("boxes")
    assert called.code == 0
    words = " ".join(called.out.split())
    assert "boxtop config init" in words and "boxtop demo" in words
    assert "hosts of ~/.ssh/config can be named, too: gpu1" in words


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


@pytest.mark.sshd
def test_a_mirror_is_opened_after_the_box_is_gone(
    boxtop: Boxtop, ssh_box: SshServer, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    copy_run("yolo9t_long", tmp_path / "runs" / "run1")
    live_run(tmp_path / "runs" / "run2")
    assert "no mirrors yet" in boxtop("open", "--data-dir", data).out
    boxtop("status", "--data-dir", data, f"ssh://{ssh_box.text}{tmp_path}/runs")
    name = f"127.0.0.1:{ssh_box.port}"
    listed = boxtop("open", "--data-dir", data)
    assert listed.out.startswith(f"ssh://{ssh_box.text}  ")
    assert re.search(r"last seen \d+ s ago\n  run2 +\d KB  changed \d+ s ago\n", listed.out)
    document = json.loads(boxtop("open", "--data-dir", data, "--json").out)
    assert {run["id"] for run in document["boxes"][0]["runs"]} == {"run1", "run2"}
    opened = boxtop("open", "--data-dir", data, f"{name}/run1")
    assert opened.code == 0
    assert "read from its mirror; nothing is connected" in opened.out
    assert "offline, last seen" in opened.out
    document = json.loads(boxtop("open", "--data-dir", data, f"{name}/run1", "--json").out)
    assert document["boxes"][0]["link"]["state"] == "offline"
    assert "completed  run1  100/100" in opened.out
    assert "note: run2 is live" in opened.out and "starting  run2" not in opened.out
    wrong = boxtop("open", "--data-dir", data, f"{name}/run3")
    assert wrong.code == 2 and "has no run 'run3'" in wrong.err


@pytest.mark.sshd
def test_a_finished_runs_mirror_is_removed_and_a_live_ones_is_not(
    boxtop: Boxtop, ssh_box: SshServer, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    copy_run("yolo9t_long", tmp_path / "runs" / "run1")
    live_run(tmp_path / "runs" / "run2")
    boxtop("status", "--data-dir", data, f"ssh://{ssh_box.text}{tmp_path}/runs")
    name = f"127.0.0.1:{ssh_box.port}"

    def remove(run: str, *more: str) -> str:
        called = boxtop("open", "--data-dir", data, f"{name}/{run}", "--remove", *more)
        return called.err + called.out

    assert "nobody is there to say yes" in remove("run1")
    assert "--read-only forbids" in remove("run1", "--yes", "--read-only")
    assert "was running when it was last seen" in remove("run2", "--yes")
    assert f"removed ssh://{ssh_box.text}/run1" in remove("run1", "--yes")
    document = json.loads(boxtop("open", "--data-dir", data, "--json").out)
    assert [run["id"] for run in document["boxes"][0]["runs"]] == ["run2"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_for_each_shell(boxtop: Boxtop, shell: str) -> None:
    called = boxtop("completion", shell)
    assert called.code == 0 and "_BOXTOP_COMPLETE" in called.out


def test_every_reading_verb_gives_ascii_json(boxtop: Boxtop, tmp_path: Path) -> None:
    run = live_run(tmp_path / "caf\u00e9")
    (run / "train.log").write_text("caf\u00e9 \u6f22\n")
    for arguments in (["status", tmp_path], ["logs", tmp_path], ["plot", tmp_path], ["boxes"]):
        called = boxtop(*arguments, "--json")
        assert called.code == 0 and called.out.isascii()
        assert json.loads(called.out)["schema_version"] == 1
    for arguments in (["open", "--json"], ["config", "show", "--json"]):
        assert json.loads(boxtop(*arguments).out)["schema_version"] == 1
