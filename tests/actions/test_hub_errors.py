"""Each way to fail at the Hub: recognised, worded with its next step, retried only if it heals."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.hub import HTML_502
from tui.actions.hub_errors import problem_of, problem_of_output
from tui.actions.hub_facts import Asked
from tui.actions.hub_problem import HEALING, HubKind
from tui.actions.hub_wait import wait_seconds
from tui.actions.hub_words import WORDS

ASKED = Asked("my-org/my-run", "HF_TOKEN env", "box", "write")
QUOTA = '{"error":"Private repository storage limit reached, please upgrade your plan"}'
RATE = (
    '{"error":"You have exceeded the rate limit for repository commits (128 per hour).'
    ' You can retry this action in about 1 hour."}'
)
NAMESPACE = (
    '{"error":"You don\'t have the rights to create a model under the namespace \\"my-org\\""}'
)
XET = "Network error: Request error: HTTP status client error (403 Forbidden), domain: http://x/y"


def facts(**values: object) -> dict[str, object]:
    return {"stage": "uploading", "type": "HfHubHTTPError", "chain": [], **values}


@pytest.mark.parametrize(
    ("values", "kind", "words"),
    [
        (
            {"status": 401, "body": '{"error":"Invalid username or password."}'},
            "bad_token",
            "HF_TOKEN",
        ),
        ({"status": 403, "body": NAMESPACE}, "namespace", "under my-org"),
        ({"status": 403, "body": '{"error":"write role needed"}'}, "role", "may not write"),
        ({"status": 403, "body": QUOTA}, "quota", "NOT saved"),
        ({"status": 402, "body": "{}"}, "quota", "no storage left"),
        ({"status": 404, "body": '{"error":"Repository not found"}'}, "missing", "my-org/my-run"),
        ({"status": 409, "body": '{"error":"moved"}'}, "conflict", "came between: moved"),
        (
            {"status": 409, "stage": "check", "body": '{"error":"wait"}'},
            "conflict",
            "no answer for my-org/my-run just now (409): wait",
        ),
        ({"status": 429, "body": RATE}, "rate", "left alone"),
        ({"status": 502, "body": HTML_502}, "server", "(502)"),
        ({"status": 503, "body": ""}, "server", "(503)"),
        ({"status": 400, "body": '{"error":"no"}'}, "refused", "(400): no"),
        ({"type": "gaierror", "errno": "GAI"}, "dns", "cannot be resolved"),
        (
            {"type": "ConnectionRefusedError", "errno": "ECONNREFUSED"},
            "unreachable",
            "does not answer",
        ),
        ({"type": "Timeout"}, "unreachable", "does not answer"),
        ({"type": "SSLCertVerificationError", "chain": ["ConnectError"]}, "tls", "certificate"),
        (
            {
                "type": "x",
                "chain": ["ConnectError", "ConnectError"],
                "message": "CERTIFICATE_VERIFY_FAILED",
            },
            "tls",
            "certificate",
        ),
        ({"type": "Stalled", "stage": "committing"}, "stalled", "while committing"),
        ({"type": "WriteError", "chain": ["RuntimeError", "WriteError"]}, "cut", "broke"),
        ({"type": "ConnectionResetError", "errno": "ECONNRESET"}, "cut", "during the upload"),
        (
            {"type": "ConnectionResetError", "errno": "ECONNRESET", "stage": "check"},
            "cut",
            "broke before the Hub answered",
        ),
        ({"type": "OSError", "errno": "ENOSPC"}, "disk_full", "disk is full"),
        ({"type": "Changed", "message": "/x/best.pt is not what it was"}, "changed", "best.pt"),
        ({"type": "WrongHash", "message": "listed otherwise: a.pt"}, "wrong_hash", "NOT saved"),
        ({"type": "NoClient", "message": "ModuleNotFoundError: no"}, "no_client", "no usable"),
        ({"type": "Public"}, "public", "everybody"),
        ({"type": "Vanished"}, "vanished", "without a result"),
        ({"type": "Cancelled"}, "cancelled", "cancelled"),
        ({"type": "LocalTokenNotFoundError"}, "no_token", "no Hugging Face token"),
        ({"type": "OfflineModeIsEnabled"}, "usage", "HF_HUB_OFFLINE"),
        ({"type": "UnsupportedProtocol"}, "usage", "HF_ENDPOINT is no address of a Hub"),
        ({"type": "ConnectionError", "message": XET}, "role", "may not write"),
        ({"type": "ConnectionError", "message": "x: dns error: no record"}, "dns", "resolved"),
        (
            {"type": "ConnectionError", "message": "error sending request for x"},
            "cut",
            "broke",
        ),
        ({"type": "Impatient", "status": 429, "retry_after": "272.0"}, "rate", "left alone"),
        ({"type": "SomethingNew", "message": "odd"}, "unknown", "(SomethingNew): odd"),
    ],
)
def test_each_failure_has_its_words(values: dict[str, Any], kind: str, words: str) -> None:
    problem = problem_of(facts(**values), ASKED)
    assert problem.kind == kind
    assert words in problem.message
    assert problem.retryable == (kind in HEALING)
    assert len(problem.message) <= 260 and "<" not in problem.message
    assert len(problem.hint or "") <= 100


def test_every_kind_has_words() -> None:
    assert set(WORDS) == set(get_args(HubKind))


def test_hf_03_names_where_the_token_is_from() -> None:
    body = '{"error":"Invalid username or password."}'
    problem = problem_of(facts(status=401, body=body), ASKED)
    assert problem.message == "token invalid or expired (from HF_TOKEN env)"
    assert not problem.retryable


def test_hf_04_names_the_token_and_the_place() -> None:
    asked = Asked("my-org/my-run", "HF_TOKEN", "box", "read")
    problem = problem_of(facts(status=403, body="{}"), asked)
    assert (problem.kind, problem.retryable) == ("role", False)
    assert problem.message == 'token "box" is read-only; my-org needs write'


def test_hf_05_is_not_retried_and_says_unsaved() -> None:
    problem = problem_of(facts(status=403, body=QUOTA), ASKED)
    assert (problem.kind, problem.retryable, problem.retry_after_s) == ("quota", False, None)
    assert "NOT saved" in problem.message


def test_hf_06_waits_as_long_as_the_longest_that_is_said() -> None:
    problem = problem_of(facts(status=429, body=RATE, retry_after="271"), ASKED)
    assert problem.retryable
    assert problem.retry_after_s == 3600
    short = problem_of(facts(status=429, body="{}", retry_after="271"), ASKED)
    assert short.retry_after_s == 271
    assert problem_of(facts(status=429, body="{}"), ASKED).retry_after_s == 60


def test_hf_11_an_old_tool_did_nothing() -> None:
    text = "Warning: `huggingface-cli` is deprecated and no longer works. Use `hf` instead.\n"
    problem = problem_of_output(text)
    assert problem is not None
    assert (problem.kind, problem.retryable) == ("old_cli", False)
    assert problem_of_output("https://huggingface.co/my-org/my-run/blob/main/best.pt") is None


def test_a_lost_answer_is_unconfirmed_unless_the_hub_refused() -> None:
    lost = problem_of(facts(stage="committing", type="ReadError", chain=["ReadError"]), ASKED, None)
    assert (lost.kind, lost.retryable) == ("unconfirmed", False)
    stalled = problem_of(facts(stage="committing", type="Stalled"), ASKED, landed=None)
    assert stalled.kind == "unconfirmed"
    refused = problem_of(facts(stage="committing", status=403, body=QUOTA), ASKED, landed=None)
    assert refused.kind == "quota"


@pytest.mark.parametrize(
    ("header", "limit", "text", "seconds"),
    [
        ("271", None, "", 271),
        ("0", None, "", 0),
        ("Mon, 30 Nov 2026 09:05:00 GMT", None, "", 300),
        ("Mon, 30 Nov 2026 08:00:00 GMT", None, "", 0),
        (None, '"api";r=0;t=55', "", 55),
        (None, '"api";r=12;t=55', "", None),
        (None, None, "Retry in 271 s.", 271),
        (None, None, "You can retry this action in about 1 hour.", 3600),
        (None, None, "try again in 5 minutes", 300),
        (None, None, "wait 2 min before", 120),
        (None, None, "Please retry in 1h 30m.", 5400),
        (None, None, "retry after 1 hour and 5 minutes", 3900),
        (None, None, "retry with 3 smaller files", None),
        ("30", '"api";r=0;t=55', "retry in 40 s", 55),
        ("soon", None, "", None),
        ("nan", None, "", None),
        ("inf", None, "", None),
        ("999999999", None, "", 86400),
        (None, None, "", None),
    ],
)
def test_waits_are_read_from_wherever_they_stand(
    header: str | None, limit: str | None, text: str, seconds: float | None
) -> None:
    now = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
    assert wait_seconds(header, limit, text, now) == seconds


JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.text(), max_size=3)
)
NAMES = ("stage", "type", "chain", "errno", "status", "body", "retry_after", "ratelimit", "message")


@given(st.dictionaries(st.sampled_from(NAMES), JUNK), st.sampled_from([None, True, False]))
def test_no_facts_break_the_words(values: dict[str, object], landed: bool | None) -> None:
    problem = problem_of(values, ASKED, landed)
    assert problem.message and problem.message.isprintable()


def test_tokens_and_control_characters_are_shown_to_nobody() -> None:
    body = '{"error":"hf_QQQQQQQQQQQQQQQQ \x1b[2J is bad"}'
    message = problem_of(facts(status=400, body=body), ASKED).message
    assert "QQ" not in message and "\x1b" not in message
