"""The Hub program is old Python, and needs nothing but the standard library and the client."""

from __future__ import annotations

import ast
import importlib
import json
import logging
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import tui.onbox
from tui.onbox.hub_client import additions, count_xet, listen
from tui.onbox.hub_facts import error_facts
from tui.onbox.hub_meter import Meter
from tui.onbox.hub_wire import encoded, redacted

MODULES = [name for _, name, _ in pkgutil.iter_modules(tui.onbox.__path__) if name[:3] == "hub"]


@pytest.mark.parametrize("name", MODULES)
def test_a_module_is_old_python_and_needs_only_the_client(name: str) -> None:
    module = importlib.import_module(f"tui.onbox.{name}")
    tree = ast.parse(Path(str(module.__file__)).read_text(), feature_version=(3, 8))
    for node in ast.walk(tree):
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
            alone = node.module != "tui.onbox" or len(node.names) == 1
            assert alone, "only the first of several modules on a line is sent to a box"
        for wanted in names:
            top = wanted.partition(".")[0]
            ours = wanted.startswith("tui.onbox")
            assert ours or top == "huggingface_hub" or top in sys.stdlib_module_names, wanted


@pytest.mark.parametrize("setting", ["HF_ENDPOINT", "HUGGINGFACE_CO_STAGING"])
def test_a_box_with_a_mirror_of_its_own_is_given_the_token_for_none_but_ours(
    setting: str, tmp_path: Path
) -> None:
    """The client reads where it sends the token when it is imported."""
    lines = (
        "import sys",
        "from tui.onbox import hub_client",
        "hub_client.prepare(sys.argv[1] or None, False, sys.argv[2])",
        "print(hub_client.load(sys.argv[1] or None, 'hf_' + 'x' * 30).endpoint)",
    )

    def endpoint(asked: str) -> str:
        line = [sys.executable, "-c", "\n".join(lines), asked, str(tmp_path)]
        environment = {**os.environ, setting: "1" if "STAGING" in setting else "http://mirror"}
        return subprocess.run(
            line, env=environment, capture_output=True, text=True, check=True
        ).stdout.strip()

    assert endpoint("") == "https://huggingface.co"
    assert endpoint("http://127.0.0.1:9") == "http://127.0.0.1:9"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("hf_QQQQ and hf_xet", "hf_*** and hf_xet"),
        ("huggingface_hub hf_hub_download", "huggingface_hub hf_hub_download"),
        ("https://user:hf_QQQQ@huggingface.co/x", "https://user:hf_***@huggingface.co/x"),
        ("xhf_QQQQ", "xhf_***"),
        ("hf_tokenQQ", "hf_***"),
        ("PUT https://s3/x?X-Amz-Signature=abc&y=1 failed", "PUT https://s3/x?*** failed"),
        ("the secret s3cr3t", "the secret hf_***"),
    ],
)
def test_secrets_are_masked(text: str, shown: str) -> None:
    assert redacted(text, ("s3cr3t",)) == shown


def test_a_secret_that_is_part_of_many_words_breaks_no_line() -> None:
    line = encoded({"stage": "e", "files": [{"path": "e.pt"}], "landed": None}, ("e",))
    assert json.loads(line) == {
        "stage": "hf_***",
        "files": [{"path": "hf_***.pt"}],
        "landed": None,
    }


def test_facts_follow_an_error_to_its_cause() -> None:
    try:
        try:
            raise OSError(28, "No space left on device")
        except OSError as error:
            raise RuntimeError("Error while uploading 'best.pt'") from error
    except RuntimeError as error:
        facts = error_facts(error, "uploading")
    assert facts["chain"] == ["RuntimeError", "OSError"]
    assert (facts["type"], facts["errno"], facts["stage"]) == ("OSError", "ENOSPC", "uploading")
    assert "best.pt" in str(facts["message"])


def test_the_client_reads_files_through_the_meter(tmp_path: Path) -> None:
    path = tmp_path / "best.pt"
    path.write_bytes(os.urandom(300_000))
    meter = Meter(300_000)
    meter.enter("uploading")
    (operation,) = additions([{"path_in_repo": "a.pt", "local_path": str(path)}], meter)
    with operation.as_file(with_tqdm=True) as file:
        assert file.read(100_000) == path.read_bytes()[:100_000]
        assert meter.facts()["done"] == 100_000
        file.seek(0)
        file.read(10)
        assert meter.facts()["done"] == 10


def test_a_wait_of_the_client_is_no_standstill(monkeypatch: pytest.MonkeyPatch) -> None:
    package = logging.getLogger("huggingface_hub")
    for name in ("handlers", "propagate", "level"):
        monkeypatch.setattr(package, name, getattr(package, name))
    meter = Meter(1)
    listen(meter, patience=900)
    logger = logging.getLogger("huggingface_hub.utils._http")
    logger.warning("HTTP Error 429 thrown while requesting PUT http://x/y?sig=1")
    logger.warning("Rate limited. Waiting 272.0s before retry [Retry 1/5].")
    facts = meter.facts()
    assert isinstance(facts["waiting_s"], float) and facts["waiting_s"] > 200
    assert "429" in str(facts["note"])
    assert meter.idle() == 0.0


def test_what_xet_tells_is_counted() -> None:
    from huggingface_hub.utils import _xet_progress_reporting as reporting

    class Report:
        total_bytes_completed = 700
        total_transfer_bytes_completed = 300

    kept = reporting.XetUploadProgressReporter
    meter = Meter(1000)
    meter.enter("uploading")
    try:
        count_xet(meter)
        reporter = reporting.XetUploadProgressReporter(total_files=1)
        reporter.update_progress(Report(), {})
        reporter.close()
    finally:
        reporting.XetUploadProgressReporter = kept  # type: ignore[misc]
    assert (meter.facts()["done"], meter.facts()["way"]) == (700, "xet")
