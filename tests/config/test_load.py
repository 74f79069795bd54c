"""boxtop.toml: what is right is typed, what is wrong names file, line, key and what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.config import Settings, load_configuration
from tui.errors import UserError

DESIGN_EXAMPLE = """\
[watch]
runs = ["/root/runs", "/workspace/runs"]   # roots
[hub]
to = "my-org/{run}"
via = "box"
private = true
[hub.auto]
best_every = "20m"
every_epochs = 10
on_end = true
[alerts]
urls = ["ntfy://topic"]
quiet = ["23:00", "07:00"]
off = ["new_best"]
[keys]
push = "P"
[providers.vast]
enabled = true
key_file = "~/.config/vastai/vast_api_key"
[box.lab]
ssh = "root@203.0.113.7 -p 41022"
runs = ["/data/runs"]
console = "/root/train.log"
price_per_hour = 3.4828
disk_gb = 250
storage_gb_month = 0.20
stop = "vast stop 1"
start = "vast start 1"
destroy = "vast destroy 1"
state = "vast show 1"
"""


def write(directory: Path, text: str) -> Path:
    path = directory / "boxtop.toml"
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)
    return path


def settings_of(directory: Path, text: str) -> Settings:
    return load_configuration(write(directory, text)).settings


def complaint(directory: Path, text: str) -> str:
    with pytest.raises(UserError) as caught:
        load_configuration(write(directory, text))
    return str(caught.value).replace(f"{directory}/", "")


def test_the_documented_file_is_understood_whole(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, DESIGN_EXAMPLE)
    assert settings.watch.runs == ("/root/runs", "/workspace/runs")
    assert settings.hub.to == "my-org/{run}"
    assert settings.hub.auto.best_every == 1200.0
    assert settings.hub.auto.every_epochs == 10
    assert settings.alerts.quiet == ("23:00", "07:00")
    assert settings.keys == {"push": "P"}
    assert settings.providers["vast"].key_file == "~/.config/vastai/vast_api_key"
    lab = settings.box["lab"]
    assert (lab.price_per_hour, lab.disk_gb, lab.storage_gb_month) == (3.4828, 250.0, 0.2)
    assert lab.stop == "vast stop 1"


def test_no_file_means_defaults(tmp_path: Path) -> None:
    configuration = load_configuration(tmp_path / "boxtop.toml")
    assert not configuration.exists
    assert configuration.settings == Settings()
    assert configuration.settings.watch.runs == ("/root/runs", "/workspace/runs")


def test_a_file_that_a_person_named_must_exist(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"mine\.toml: no such file") as caught:
        load_configuration(tmp_path / "mine.toml", must_exist=True)
    assert "config init" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "[box.lab]\nprice = 3\n",
            "boxtop.toml:2: box.lab.price: unknown key; allowed: ssh, path, runs, console, "
            "price_per_hour, disk_gb, storage_gb_month, stop, start, destroy, state",
        ),
        (
            "[box.lab]\nssh = 'a@b'\nprice_per_hours = 3\n",
            "boxtop.toml:3: box.lab.price_per_hours: unknown key; did you mean price_per_hour? ",
        ),
        ("[wacth]\n", "boxtop.toml:1: wacth: unknown section; did you mean watch? allowed: watch,"),
        (
            "\n[providers.vasst]\n",
            "boxtop.toml:2: providers.vasst: unknown provider; did you mean vast? allowed: vast,",
        ),
        ("[hub.auto]\nevery_epoch = 3\n", "boxtop.toml:2: hub.auto.every_epoch: unknown key; did"),
        ("hub.auto = {on_ent = true}\n", "boxtop.toml:1: hub.auto.on_ent: unknown key; did you"),
        (
            '[box.lab]\nprice_per_hour = "3.48"\n',
            "boxtop.toml:2: box.lab.price_per_hour: must be a number of US dollars, 0 or more, "
            'such as 3.48, not the text "3.48"',
        ),
        ("[box.lab]\nprice_per_hour = -1\n", "0 or more, such as 3.48, not the number -1"),
        ("[box.lab]\nprice_per_hour = nan\n", "0 or more, such as 3.48, not the number nan"),
        ("[box.lab]\nprice_per_hour = 1e999\n", "0 or more, such as 3.48, not the number inf"),
        ("[box.lab]\nprice_per_hour = true\n", "0 or more, such as 3.48, not true"),
        ("[box.lab]\ndisk_gb = 0\n", "must be a number of GB above 0, such as 250, not the number"),
        ("[box.lab]\nconsole = 'train.log'\n", "box.lab.console: must be the path of the console"),
        ("[box.lab]\nssh = 3\n", "box.lab.ssh: must be an ssh address"),
        (
            '[watch]\nruns = [\n  "/ok",\n  "runs",\n]\n',
            "boxtop.toml:2: watch.runs: must be a list of paths on the box that start with / or "
            '~/, ["/root/runs"], not the text "runs"',
        ),
        ('[watch]\nruns = "/root/runs"\n', "watch.runs: must be a list of paths on the box"),
        ("watch = 3\n", "boxtop.toml:1: watch: must be a table, written [watch]"),
        ("[box]\nssh = 'a@b'\n", "boxtop.toml:2: box.ssh: must be a table, written [box.NAME]"),
        ("box = 1\n", "boxtop.toml:1: box: must be tables, each written [box.NAME]"),
        ("keys = 1\n", "boxtop.toml:1: keys: must be a table, written [keys]"),
        ("[keys]\npush = 3\n", 'boxtop.toml:2: keys.push: must be a key such as "P", not the num'),
        (
            "[hub]\nvia = 'boxx'\n",
            'hub.via: must be "box" (the box uploads) or "here" (this machin',
        ),
        ("\n[keys]\nqiut = 'Q'\n", "boxtop.toml:3: keys.qiut: no such action; did you mean quit?"),
        ("[keys]\nquit = 'ctrl+s'\n", "boxtop.toml:2: keys.quit: ctrl+s does not arrive"),
        ("[keys]\nquit = '?'\n", "boxtop.toml:2: keys.quit: ? is already the key of help"),
        ("[hub]\nvia = 'boxx'\n", 'not the text "boxx"; did you mean "box"?'),
        ("[hub]\nto = 'name'\n", 'hub.to: must be a repository "owner/name"'),
        ("[hub]\nto = 'o/{runs}'\n", "hub.to: {runs} is not known, only {run} and {box}"),
        ("[hub]\nprivate = 'yes'\n", 'hub.private: must be true or false, not the text "yes"'),
        ("[hub.auto]\nbest_every = 20\n", 'hub.auto.best_every: must be a time of "5m" or more'),
        ("[hub.auto]\nbest_every = '20'\n", 'such as "20m" or "2h", not the text "20"'),
        ("[hub.auto]\nbest_every = '4m'\n", 'such as "20m" or "2h", not the text "4m"'),
        ("[hub.auto]\nevery_epochs = 0\n", "a whole number of epochs, 1 or more, not the number 0"),
        ("[hub.auto]\nevery_epochs = 1.5\n", "1 or more, not the number 1.5"),
        ("[alerts]\nquiet = ['23:00']\n", "alerts.quiet: must be two times of the day"),
        ("[alerts]\nquiet = ['23:00', '24:00']\n", 'not the text "24:00"'),
        ("[alerts]\noff = ['new_bests']\n", 'not the text "new_bests"; did you mean "new_best"?'),
        ("[alerts]\nurls = ['topic']\n", "alerts.urls: must be a list of addresses"),
        ("[box.'a b']\nssh = 'a@b'\n", 'boxtop.toml:1: box."a b": a box\'s name has letters'),
        ("[box.a]\nssh = 'a@b'\npath = '/x'\n", "boxtop.toml:3: box.a.path: a box has either ssh"),
        (
            "[box.a]\nssh = '-oProxyCommand=x'\n",
            "boxtop.toml:2: box.a.ssh: the ssh line names no h",
        ),
        ("[box.a]\nssh = 'root@h -p 70000'\n", "box.a.ssh: the port '70000' must be a number from"),
        ("[box.a]\nssh = 'root@-x'\n", "box.a.ssh: the host '-x' starts with a dash"),
        ("[watch]\nruns = 2026-11-30\n", "not a date or time"),
        ("[watch]\n\nruns = [\n", "boxtop.toml:4: not valid TOML: "),
        ("a b = 1\n", "boxtop.toml:1: not valid TOML: expected '='"),
        (
            "[hub]\nto = 'o/a'\nvia = 'box'\nto = 'o/b'\n",
            "boxtop.toml:4: hub.to: given twice, first in line 2",
        ),
        (
            "[box.a]\nssh = 'a@b'\n[box.a]\nssh = 'a@c'\n",
            "boxtop.toml:3: box.a: given twice, first in line 1",
        ),
    ],
)
def test_a_mistake_names_file_line_key_and_what_is_allowed(
    tmp_path: Path, text: str, expected: str
) -> None:
    assert expected in complaint(tmp_path, text)


@pytest.mark.parametrize(
    ("value", "expected"), [("[" * 9000, "nested too deeply"), ("9" * 5000, "not valid TOML: ")]
)
def test_values_that_break_readers_are_mistakes(tmp_path: Path, value: str, expected: str) -> None:
    assert expected in complaint(tmp_path, f"x = {value}")


def test_every_mistake_is_told_at_once(tmp_path: Path) -> None:
    lines = complaint(tmp_path, "[hub]\nvia = 1\n[box.a]\nprice = 1\n[x]\n").splitlines()
    assert sorted(line.split(": ")[0] for line in lines) == [
        "boxtop.toml:2",
        "boxtop.toml:4",
        "boxtop.toml:5",
    ]


def test_control_characters_of_a_file_do_not_reach_the_terminal(tmp_path: Path) -> None:
    text = '["\\u001b[31mred\\u0007"]\n[hub]\nto = "\\u001b]0;title\\u0007"\n'
    assert not set(complaint(tmp_path, text)) & {"\x1b", "\x07"}


def test_bytes_that_are_not_utf8_are_told_with_their_line(tmp_path: Path) -> None:
    path = write(tmp_path, "")
    path.write_bytes(b"# one\n# two\n[hub]\nto = 'caf\xe9/x'\n")
    with pytest.raises(UserError, match=r"boxtop\.toml:4: not UTF-8"):
        load_configuration(path)


def test_a_windows_editor_changes_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, "")
    path.write_bytes(b"\xef\xbb\xbf[watch]\r\nruns = ['/a']\r\n")
    assert load_configuration(path).settings.watch.runs == ("/a",)


def test_a_directory_is_no_configuration(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Is a directory"):
        load_configuration(tmp_path)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[providers.vast]\nkey = 'abcdef'\n", "providers.vast.key"),
        ("[hub]\nto = 'o/hf_abcdefghijklmnop'\n", "hub.to"),
        ("[alerts]\nurls = ['discord://4174216298/JHMHI8qBe7bk2ZwO5U711o']\n", "alerts.urls"),
        ("[alerts]\nurls = ['mailto://me:secret@example.org']\n", "alerts.urls"),
    ],
)
def test_a_secret_that_others_may_read_is_warned_of(tmp_path: Path, text: str, key: str) -> None:
    path = write(tmp_path, text)
    assert load_configuration(path).warnings == ()
    path.chmod(0o644)
    (warning,) = load_configuration(path).warnings
    assert key in warning and "mode 0644" in warning and f"chmod 600 {path}" in warning
    path.chmod(0o640)
    assert "mode 0640" in load_configuration(path).warnings[0], "a group is others, too"


def test_a_file_without_secrets_may_be_read_by_all(tmp_path: Path) -> None:
    path = write(tmp_path, DESIGN_EXAMPLE)
    path.chmod(0o644)
    assert load_configuration(path).warnings == ()


def test_a_wrong_secret_is_not_repeated(tmp_path: Path) -> None:
    assert "12345" not in complaint(tmp_path, "[providers.vast]\nkey = 12345\n")
