"""What a provider kept of a box, for when the box itself tells nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Boxtop
from tests.providers.conftest import served
from tests.providers.fake_http import HTML_503, KEY
from tests.providers.fake_lambda import FakeLambda
from tests.providers.fake_vast import FakeVast, row


@pytest.fixture
def vendor(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeVast]:
    for fake in served(FakeVast()):
        monkeypatch.setenv("BOXTOP_VAST_URL", fake.url)
        fake.rows = [
            row(
                actual_status="created",
                status_msg="OCI runtime create failed: no space left",
                public_ipaddr="127.0.0.199",
            )
        ]
        fake.log = (
            "pulling\n\x1b[31mError: no space left\x1b[0m\nhf_abcdefghijklmnopqrstuvwxyz012345\n"
        )
        yield fake


@pytest.fixture
def arguments(tmp_path: Path, vendor: FakeVast) -> list[object]:
    toml = tmp_path / "boxtop.toml"
    toml.write_text(
        f'[providers.vast]\nkey = "{KEY}"\n[box.lab]\ninstance = "vast:700001"\n'
        '[box.desk]\nssh = "root@127.0.0.198"\nstate = "echo running"\n'
    )
    toml.chmod(0o600)
    return ["--config", toml, "--data-dir", tmp_path / "data"]


def test_a_failed_start_is_explained_by_the_providers_log(
    boxtop: Boxtop, arguments: list[object]
) -> None:
    status = " ".join(boxtop(*arguments, "status").out.split())
    assert "boxtop logs vast:700001 --provider` may tell why" in status
    told = boxtop(*arguments, "logs", "lab", "--provider")
    assert (told.code, told.out.splitlines()[:2]) == (0, ["pulling", "Error: no space left"])
    assert "vast 700001 is failed (created): OCI runtime create failed" in told.err
    assert "hf_abc" not in told.out and KEY not in told.out + told.err
    last = boxtop(*arguments, "logs", "vast:700001", "--provider", "-n", "2", "--json")
    document = json.loads(last.out)
    assert document["lines"][0] == "Error: no space left"
    assert document["provider"]["state"] == "failed"


def test_a_log_that_cannot_be_had_is_said_to_be_that(
    boxtop: Boxtop, arguments: list[object], vendor: FakeVast
) -> None:
    nothing = boxtop(*arguments, "logs", "desk", "--provider")
    assert nothing.code == 2 and "has no provider's log" in nothing.err
    followed = boxtop(*arguments, "logs", "lab", "--provider", "-f")
    assert followed.code == 2 and "cannot be followed" in followed.err
    assert boxtop(*arguments, "logs", "nosuch", "--provider").code == 2
    vendor.log = ""
    empty = boxtop(*arguments, "logs", "lab", "--provider")
    assert (empty.code, empty.out) == (0, "") and "keeps no line of it" in empty.err
    vendor.fail(HTML_503, "PUT", "request_logs")
    broken = boxtop(*arguments, "logs", "lab", "--provider")
    assert broken.code == 6 and "503" in broken.err


def test_a_provider_without_logs_says_so(
    boxtop: Boxtop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for fake in served(FakeLambda()):
        monkeypatch.setenv("BOXTOP_LAMBDA_URL", fake.url)
        toml = tmp_path / "own.toml"
        toml.write_text(f'[providers.lambda]\nkey = "{KEY}"\n')
        toml.chmod(0o600)
        told = boxtop("--config", toml, "logs", "lambda:0a1b", "--provider")
        assert told.code == 2 and "Lambda keeps no logs" in told.err
