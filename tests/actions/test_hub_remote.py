"""The Hub seen from here: a box that lies about a push convinces nobody."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hub import HTML_502, Answer, Hub, Scope, Token, hub_fixture  # noqa: F401
from tests.hub.accounts import Json
from tests.hub.program import ask, request, snapshot
from tui.actions import hub_remote
from tui.actions.hub_problem import HubError, HubKind
from tui.actions.hub_proof import PushedFile, pushed_files
from tui.actions.hub_remote import RemoteHub

REPO = "my-org/my-run"


def seen(hub: Hub, secret: str | None = None) -> RemoteHub:
    return RemoteHub(hub_remote.Token(secret or hub.token, "HF_TOKEN"), hub.url)


def pushed(hub: Hub, tmp_path: Path) -> tuple[Json, tuple[PushedFile, ...]]:
    result = ask(request(hub, "push", files=snapshot(tmp_path)))
    return result, pushed_files(result["files"])


def kind_of(hub: Hub) -> HubKind:
    with pytest.raises(HubError) as caught:
        seen(hub).head(REPO)
    return caught.value.problem.kind


def test_a_push_is_seen_from_here(hub: Hub, tmp_path: Path) -> None:
    result, files = pushed(hub, tmp_path)
    verified = seen(hub).verify(REPO, result["commit"], files)
    assert verified.saved
    assert len(verified.listed) == 4
    assert seen(hub).head(REPO) == result["commit"]
    assert seen(hub).find(REPO, files) == verified


def test_a_push_that_a_box_only_claims_is_not_saved(hub: Hub, tmp_path: Path) -> None:
    result, files = pushed(hub, tmp_path)
    claimed = PushedFile("weights/epoch_9.pt", 10, "a" * 64)
    verified = seen(hub).verify(REPO, result["commit"], [*files, claimed])
    assert not verified.saved
    assert [one.path for one in verified.differences] == ["weights/epoch_9.pt"]
    assert seen(hub).find(REPO, [claimed]) is None
    with pytest.raises(HubError) as caught:
        seen(hub).verify(REPO, "d" * 40, files)
    assert caught.value.problem.kind == "missing"


def test_bytes_that_the_hub_lost_are_not_saved(hub: Hub, tmp_path: Path) -> None:
    hub.store.spoil = "wrong"
    result, files = pushed(hub, tmp_path)
    verified = seen(hub).verify(REPO, result["commit"], files)
    assert {one.how for one in verified.differences} == {"another sha256 at the Hub"}


def test_no_repository_has_no_head(hub: Hub) -> None:
    assert seen(hub).head(REPO) is None
    assert seen(hub).find(REPO, []) is None


@pytest.mark.parametrize(
    ("token", "message"),
    [
        (
            Token("hf_r", display_name="box", role="read", orgs={}),
            'token "box" is read-only; my-org needs write',
        ),
        (
            Token("hf_w", display_name="box", orgs={}),
            'token "box" is someuser\'s, who is no member of my-org',
        ),
        (Token("hf_o", orgs={"my-org": "read"}), "someuser may only read in my-org"),
        (
            Token("hf_f", display_name="box", role="fineGrained", scopes=(Scope("org", "x"),)),
            'token "box" is fine-grained and has no write access to my-org/my-run',
        ),
    ],
)
def test_hf_04_what_a_token_lacks_is_told_before_anything_moves(
    hub: Hub, token: Token, message: str
) -> None:
    hub.add_token(token)
    problem = seen(hub, token.secret).check(REPO).problem()
    assert problem is not None
    assert problem.message == message
    assert not problem.retryable
    assert {line.point for line in hub.asked()} <= {"whoami", "info", "other"}


def test_a_good_token_has_nothing_against_it(hub: Hub) -> None:
    checked = seen(hub).check(REPO)
    assert checked.problem() is None
    assert (checked.account.name, checked.account.orgs) == ("someuser", ("my-org",))
    assert not checked.place.exists


def test_hf_03_a_bad_token_says_where_it_is_from(hub: Hub) -> None:
    with pytest.raises(HubError) as caught:
        seen(hub, "hf_expired").check(REPO)
    assert caught.value.problem.message == "token invalid or expired (from HF_TOKEN)"


def test_faults_have_their_kinds(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.order("info", Answer(502, HTML_502), times=1)
    assert kind_of(hub) == "server"
    hub.order("info", Answer(429, {"error": "slow down"}, {"Retry-After": "9"}), times=1)
    assert kind_of(hub) == "rate"
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    monkeypatch.setattr(hub, "url", f"http://127.0.0.1:{port}")
    assert kind_of(hub) == "unreachable"
    monkeypatch.setattr(hub, "url", "http://hub.invalid")
    assert kind_of(hub) == "dns"


def test_what_speaks_no_tls_is_not_trusted(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "url", hub.url.replace("http://", "https://"))
    assert kind_of(hub) == "tls"


def test_a_hub_that_never_answers_is_not_waited_for(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.hub import Hang

    monkeypatch.setattr(hub_remote, "SECONDS", 0.2)
    hub.order("info", Hang())
    assert kind_of(hub) == "unreachable"


def test_importing_it_imports_no_client() -> None:
    code = (
        "import json, sys; import tui.actions.hub_remote; "
        "print(json.dumps([name for name in sys.modules if 'huggingface' in name]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=dict(os.environ), capture_output=True, check=True
    )
    assert json.loads(done.stdout) == []
