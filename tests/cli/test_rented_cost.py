"""What boxes of an account cost, and what was paid, as the verbs tell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.account import arguments as arguments
from tests.cli.account import vendor as vendor
from tests.cli.conftest import Boxtop
from tests.providers.conftest import served
from tests.providers.fake_http import HTML_503, KEY
from tests.providers.fake_runpod import STOPPED as EXITED
from tests.providers.fake_runpod import FakeRunPod, pod
from tests.providers.fake_vast import FakeVast
from tui.clock import Clock
from tui.facts import RunFound
from tui.money import Rate
from tui.providers.account import ProviderView, Seen
from tui.providers.base import Instance, State
from tui.rented.book import Book
from tui.runs.mirrors import Mirrors


def test_the_cost_of_an_instance_goes_by_its_providers_prices(
    boxtop: Boxtop, arguments: list[object]
) -> None:
    told = boxtop(*arguments, "cost", "yolo9s", "--rebuild", "1", "--pause", "8", "--json")
    cost = json.loads(told.out)["cost"]
    assert cost["rate_running"] == {"usd_per_hour": 3.4828, "source": "reported"}
    assert cost["rate_stopped"]["source"] == "reported"
    assert round(cost["break_even_h"], 1) == 14.4
    assert cost["advice"] == "stop"
    assert all(path["survives_stop"] for path in cost["paths"])


def test_what_an_option_says_outweighs_the_providers_price(
    boxtop: Boxtop, arguments: list[object]
) -> None:
    told = boxtop(*arguments, "cost", "vast:700001", "--rate", "0.4", "--json")
    rate = json.loads(told.out)["cost"]["rate_stopped"]
    assert rate["source"] == "computed"
    assert rate["usd_per_hour"] == pytest.approx(250 * 0.4 / 720)


def test_a_box_that_nobody_rents_out_goes_by_the_configuration_alone(
    boxtop: Boxtop, arguments: list[object]
) -> None:
    toml = Path(str(arguments[1]))
    toml.write_text(toml.read_text() + '[box.lab]\nssh = "root@127.0.0.198"\nprice_per_hour = 2\n')
    cost = json.loads(boxtop(*arguments, "cost", "lab", "--json").out)["cost"]
    assert cost["rate_running"] == {"usd_per_hour": 2.0, "source": "user"}
    assert cost["can_stop"] is None, "that it has no command says nothing of the box"


def test_a_word_that_is_nothing_is_told_what_there_is(
    boxtop: Boxtop, arguments: list[object]
) -> None:
    told = boxtop(*arguments, "cost", "yolo9")
    assert told.code == 2
    assert "did you mean yolo9s?" in told.err


def test_a_cost_where_no_list_comes_goes_by_the_last_one(
    boxtop: Boxtop, arguments: list[object], vendor: FakeVast
) -> None:
    toml = Path(str(arguments[1]))
    toml.write_text(
        toml.read_text() + '[box.lab]\nssh = "root@127.0.0.199 -p 41022"\nprice_per_hour = 2\n'
    )
    vendor.fail(HTML_503, path="/api/v1/instances", times=3)
    told = boxtop(*arguments, "cost", "lab")
    assert told.code == 6 and "503" in told.err and "by boxtop.toml alone" in told.err
    assert "running     $2.00/h (user)" in told.out
    boxtop(*arguments, "boxes")
    for word in ("lab", "vast:700001", "700001", "yolo9s"):
        vendor.fail(HTML_503, path="/api/v1/instances", times=3)
        told = boxtop(*arguments, "cost", word)
        assert told.code == 6 and "503" in told.err and "as it was 0m ago" in told.err, word
        assert "running     $3.48/h (reported)" in told.out
    vendor.fail(HTML_503, path="/api/v1/instances", times=3)
    age = json.loads(boxtop(*arguments, "cost", "lab", "--json").out)["list_age_s"]
    assert 0 <= age < 60
    assert json.loads(boxtop(*arguments, "cost", "lab", "--json").out)["list_age_s"] is None
    vendor.fail(HTML_503, path="/api/v1/instances", times=3)
    told = boxtop(*arguments, "cost", "nosuch", "--price", "1")
    assert (told.code, told.out) == (6, "")
    assert "'nosuch' is in no list that could be read" in told.err


def test_a_stopped_pod_is_weighed_by_the_price_that_it_had(
    boxtop: Boxtop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toml = tmp_path / "pods.toml"
    toml.write_text(f'[providers.runpod]\nkey = "{KEY}"\n')
    toml.chmod(0o600)
    for fake in served(FakeRunPod()):
        monkeypatch.setenv("BOXTOP_RUNPOD_URL", fake.url)
        boxtop("--config", toml, "boxes")
        fake.pods = [pod(**EXITED)]
        boxtop("--config", toml, "boxes")
        told = boxtop("--config", toml, "cost", "abc123pod", "--json")
        cost = json.loads(told.out)["cost"]
        assert cost["rate_running"] == {"usd_per_hour": 0.69, "source": "reported"}
        assert cost["rate_stopped"]["source"] == "computed"


def test_a_cost_tells_the_fate_of_the_places_where_runs_were_seen(
    boxtop: Boxtop, arguments: list[object], tmp_path: Path
) -> None:
    def places(*words: str) -> dict[str, bool | None]:
        cost = json.loads(boxtop(*arguments, "cost", *words, "--json").out)["cost"]
        return {one["path"]: one["survives_stop"] for one in cost["paths"]}

    toml = Path(str(arguments[1]))
    toml.write_text(toml.read_text() + '[box.lab]\nssh = "root@127.0.0.198"\nruns = ["/data"]\n')
    assert len(places("vast:700001")) == 3
    assert "/data" in places("lab")
    for name in ("vast:700001", "lab"):
        mirror = Mirrors(tmp_path / "data").box(name, name)
        mirror.claim()
        for run in ("/workspace/runs/a", "/workspace/runs/b", "/dev/shm/c"):
            root, id = run.rsplit("/", 1)
            mirror.run(RunFound(run, id, root))
        mirror.save()
        mirror.release()
        assert places(name, "--provider", "runpod") == {"/dev/shm": False, "/workspace/runs": True}
        assert places(name, "--path", "/own") == {"/own": None if name == "lab" else True}


def test_last_weeks_bill_is_read_back(boxtop: Boxtop, arguments: list[object]) -> None:
    class Earlier(Clock):
        """Two days ago, and a minute on with every look."""

        passed = 0.0

        def wall(self) -> float:
            return super().wall() - 2 * 86400 + self.passed

        def steady(self) -> float:
            return self.passed

    clock, rate = Earlier(), Rate(3.0, "reported")
    book = Book(Path(str(arguments[3])), clock)
    one = Instance("vast", "700001", "yolo9s", State.RUNNING, rate_now=rate)
    for _ in range(61):
        book.take(ProviderView("vast", (Seen(one),), listed_at=clock.steady()))
        clock.passed += 60.0
    told = boxtop(*arguments, "cost", "--bill")
    assert told.code == 0
    assert "yolo9s  vast 700001" in told.out
    assert "in all $3.00 (compute and disk only)" in " ".join(told.out.split())
    document = json.loads(boxtop(*arguments, "cost", "--bill", "--json").out)
    assert document["total_usd"] == pytest.approx(3.0, rel=0.02)
    assert boxtop(*arguments, "cost", "--bill", "--days", "1").out.startswith("nothing is known")


def test_a_box_with_its_own_price_is_in_the_bill_once(
    boxtop: Boxtop, arguments: list[object]
) -> None:
    toml = Path(str(arguments[1]))
    toml.write_text(
        toml.read_text() + '[box.lab]\nssh = "root@127.0.0.199 -p 41022"\nprice_per_hour = 2\n'
        '[box.desk]\nssh = "root@127.0.0.198"\nprice_per_hour = 1\n'
    )
    for word in ("boxes", "status", "boxes"):
        boxtop(*arguments, word)
    days = json.loads(boxtop(*arguments, "cost", "--bill", "--json").out)["days"]
    assert {f"{day['provider']}:{day['id']}" for day in days} == {
        *("vast:700001", "vast:700002", "command:desk")
    }
