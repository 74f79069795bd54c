"""What goes wrong on the way: raw facts, nothing taken for a success, nothing tried blindly."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tests.hub import HTML_502, Answer, Cut, Hang, Hub, Trickle, hub_fixture  # noqa: F401
from tests.hub.accounts import Json
from tests.hub.program import Program, ask, request, snapshot

LARGE = {"lfs": "put", "xet": "xorb"}
QUOTA = "Private repository storage limit reached, please upgrade your plan"
RATE = (
    "You have exceeded the rate limit for repository commits (128 per hour)."
    " You can retry this action in about 1 hour."
)


@pytest.fixture(params=["lfs", "xet"])
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def push(hub: Hub, tmp_path: Path, way: str = "lfs", **more: object) -> Json:
    files = snapshot(tmp_path)
    return ask(request(hub, "push", files=files, disable_xet=way == "lfs", **more))


@pytest.mark.parametrize(
    ("status", "body", "headers"),
    [
        (403, {"error": QUOTA}, {}),
        (429, {"error": RATE}, {"Retry-After": "271"}),
        (429, {"error": "Too many requests. Retry in 271 s."}, {}),
        (409, {"error": "The branch has moved"}, {}),
        (404, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"}),
        (400, {"error": "Bad request"}, {}),
    ],
)
def test_a_refused_commit_is_told_as_it_is_and_asked_once(
    hub: Hub, tmp_path: Path, way: str, status: int, body: Json, headers: dict[str, str]
) -> None:
    hub.order("commit", Answer(status, body, headers))
    result = push(hub, tmp_path, way)
    error = result["error"]
    assert (result["ok"], result["commit"], result["landed"]) == (False, None, False)
    assert (error["stage"], error["status"]) == ("committing", status)
    assert body["error"] in error["body"]
    assert error["retry_after"] == headers.get("Retry-After")
    assert error["request_id"] == "Root=1-test"
    assert len(hub.asked("commit")) == 1


def test_a_server_error_with_a_page_is_looked_after_and_not_repeated(
    hub: Hub, tmp_path: Path
) -> None:
    hub.order("commit", Answer(502, HTML_502))
    result = push(hub, tmp_path)
    assert (result["ok"], result["landed"], result["error"]["status"]) == (False, False, 502)
    assert len(hub.asked("commit")) == 1
    assert hub.asked("paths-info") != []


@pytest.mark.parametrize(
    "body",
    [
        "<html>no longer works</html>",
        {"success": True},
        {"success": True, "commitUrl": "x", "commitOid": ""},
    ],
)
def test_an_answer_without_a_commit_is_no_success(
    hub: Hub, tmp_path: Path, body: Json | str
) -> None:
    """HF-11's like: an answer that looks well and names no commit."""
    hub.order("commit", Answer(200, body))
    result = push(hub, tmp_path)
    assert (result["ok"], result["commit"], result["landed"]) == (False, None, False)


@pytest.mark.parametrize("fault", [Hang(work=True), Cut(work=True)])
def test_a_commit_whose_answer_got_lost_is_found(hub: Hub, tmp_path: Path, fault: Hang) -> None:
    hub.order("commit", fault)
    result = push(hub, tmp_path, limits_s={"committing": 1.5})
    assert result["ok"] is True
    assert result["found"] is True
    assert result["commit"] == hub.store.repos["my-org/my-run"].head.oid
    assert len(hub.asked("commit")) == 1


def test_a_commit_that_never_landed_is_told_so(hub: Hub, tmp_path: Path) -> None:
    hub.order("commit", Hang())
    result = push(hub, tmp_path, limits_s={"committing": 1.5})
    assert (result["ok"], result["landed"]) == (False, False)
    assert (result["error"]["type"], result["error"]["stage"]) == ("Stalled", "committing")


def test_a_commit_that_cannot_be_looked_for_stays_open(hub: Hub, tmp_path: Path) -> None:
    hub.order("commit", Hang(work=True))
    hub.order("paths-info", Answer(503, HTML_502))
    result = push(hub, tmp_path, limits_s={"committing": 1.5})
    assert (result["ok"], result["landed"]) == (False, None)


def test_a_hang_at_100_percent_is_never_a_success(hub: Hub, tmp_path: Path, way: str) -> None:
    """HF-07."""
    hub.order(LARGE[way], Hang())
    files = snapshot(tmp_path, best=os.urandom(300_000))
    lfs = way == "lfs"
    asked = request(
        hub, "push", files=files, disable_xet=lfs, stall_s=0.2, limits_s={"uploading": 2.0}
    )
    with Program(asked) as program:
        result = program.until("result")
    progress = [document for kind, document in program.said if kind == "progress"]
    stalled = [document for document in progress if document["stalled_s"]]
    assert stalled and stalled[-1]["stage"] == "uploading"
    assert (result["ok"], result["error"]["type"], result["landed"]) == (False, "Stalled", False)
    assert result["commit"] is None
    assert hub.asked("commit") == []
    assert hub.received(LARGE[way]) >= 300_000


@pytest.mark.parametrize("spoil", ["wrong", "truncated"])
def test_what_is_listed_otherwise_is_not_saved(
    hub: Hub, tmp_path: Path, way: str, spoil: str
) -> None:
    hub.store.spoil = spoil
    result = push(hub, tmp_path, way)
    assert (result["ok"], result["landed"]) == (False, True)
    assert result["error"]["type"] == "WrongHash"
    assert "weights/best.pt" in result["error"]["message"]
    assert result["commit"] and result["listing"]


def test_a_connection_cut_once_is_mended_by_the_client(hub: Hub, tmp_path: Path, way: str) -> None:
    hub.order(LARGE[way], Cut(after=100_000), times=1)
    result = push(hub, tmp_path, way, patience_s=30)
    assert result["ok"] is True


def test_a_connection_cut_always_is_told(hub: Hub, tmp_path: Path) -> None:
    hub.order("put", Cut(after=100_000))
    result = push(hub, tmp_path)
    assert (result["ok"], result["landed"]) == (False, False)
    assert result["error"]["stage"] == "uploading"
    assert hub.asked("commit") == []


def test_a_slow_line_is_no_fault(hub: Hub, tmp_path: Path, way: str) -> None:
    hub.order(LARGE[way], Trickle(piece=8_000))
    assert push(hub, tmp_path, way)["ok"] is True


def test_a_rate_limit_on_the_way_is_waited_for(hub: Hub, tmp_path: Path) -> None:
    """The client itself waits as long as the Hub says; the progress tells so."""
    body = {"error": "Too many requests"}
    hub.order("preupload", Answer(429, body, {"Retry-After": "1"}), times=1)
    with Program(request(hub, "push", files=snapshot(tmp_path), patience_s=30)) as program:
        assert program.until("result")["ok"] is True
    waits = [said for kind, said in program.said if kind == "progress" and said["waiting_s"]]
    assert waits and "429" in waits[0]["note"]


def test_a_wait_beyond_patience_ends_it_with_the_time(hub: Hub, tmp_path: Path) -> None:
    hub.order("preupload", Answer(429, {"error": "Too many"}, {"Retry-After": "271"}))
    error = push(hub, tmp_path, patience_s=60)["error"]
    assert (error["type"], error["status"]) == ("Impatient", 429)
    assert float(error["retry_after"]) >= 271
    assert len(hub.asked("preupload")) == 1


def test_a_name_that_cannot_be_resolved(hub: Hub, tmp_path: Path) -> None:
    error = push(hub, tmp_path, endpoint="http://hub.invalid")["error"]
    assert error["errno"] == "GAI"


def test_nobody_listens(hub: Hub, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    error = push(hub, tmp_path, endpoint=f"http://127.0.0.1:{port}")["error"]
    assert error["errno"] == "ECONNREFUSED"


def test_a_check_that_hangs_is_answered_for(hub: Hub) -> None:
    hub.order("whoami", Hang())
    assert ask(request(hub, "check", timeout_s=0.3), "error")["type"] == "Timeout"


def test_no_client_is_told(hub: Hub, tmp_path: Path) -> None:
    broken = tmp_path / "broken" / "huggingface_hub"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ImportError('No module named httpx2')")
    environment = {"PYTHONPATH": str(broken.parent)}
    checked = ask(request(hub, "check"), "error", environment)
    pushed = ask(request(hub, "push", files=snapshot(tmp_path)), "result", environment)
    assert checked["type"] == pushed["error"]["type"] == "NoClient"
    assert "httpx2" in checked["message"]
    assert hub.asked() == []


PIP = """
import pathlib, sys
package = pathlib.Path(sys.argv[sys.argv.index("--target") + 1]) / "huggingface_hub"
package.mkdir()
(package / "__init__.py").write_text("raise ImportError('the one that was installed')")
"""


def test_a_client_can_be_installed_into_a_directory_of_its_own(hub: Hub, tmp_path: Path) -> None:
    for name, text in (("pip", PIP), ("huggingface_hub", "raise ImportError('none')")):
        (tmp_path / "path" / name).mkdir(parents=True)
        (tmp_path / "path" / name / "__init__.py").write_text("" if name == "pip" else text)
        (tmp_path / "path" / name / "__main__.py").write_text(text)
    environment = {"PYTHONPATH": str(tmp_path / "path")}
    reply = ask({"op": "install"}, "installed", environment)
    assert reply["directory"] == str(Path.home() / ".cache/boxtop/packages")
    error = ask(request(hub, "check"), "error", environment)
    assert (error["type"], "the one that was installed" in error["message"]) == ("NoClient", True)


def test_an_installation_that_fails_says_why(tmp_path: Path) -> None:
    (tmp_path / "pip").mkdir()
    (tmp_path / "pip" / "__main__.py").write_text("raise SystemExit('no matching distribution')")
    (tmp_path / "pip" / "__init__.py").write_text("")
    error = ask({"op": "install"}, "error", {"PYTHONPATH": str(tmp_path)})
    assert (error["type"], "no matching" in error["message"]) == ("PipFailed", True)
    assert list((Path.home() / ".cache/boxtop").iterdir()) == []


def test_a_repository_that_cannot_be_made_now_is_told_by_the_hubs_own_answer(
    hub: Hub, tmp_path: Path
) -> None:
    hub.order("create", Answer(409, {"error": "Another request is under way"}))
    error = push(hub, tmp_path)["error"]
    assert (error["status"], error["stage"]) == (409, "preparing")
    assert "under way" in error["body"]


def test_nonsense_is_refused(hub: Hub) -> None:
    assert ask(request(hub, "sing"), "error")["type"] == "BadRequest"
    assert ask(request(hub, "push", files=[]), "error")["type"] == "BadRequest"
    assert ask(request(hub, "attach", job="../x"), "error")["type"] == "BadRequest"
    assert ask(request(hub, "attach", job="unknown"), "error")["type"] == "NoJob"
