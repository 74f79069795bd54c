from __future__ import annotations

import pytest

from tests.providers.build import StillClock
from tests.providers.fake_http import LOST, Canned
from tests.providers.fake_runpod import NO_GPU, STOPPED, FakeRunPod, pod, problem
from tui.money import NO_RATE, Rate, survives_stop
from tui.providers.base import Address, ProviderError, State
from tui.providers.runpod import RunPod

ID = "abc123pod"


def test_a_pod_becomes_an_instance(account_runpod: RunPod) -> None:
    (one,) = account_runpod.list().instances
    assert (one.id, one.state, one.raw_state) == (ID, State.RUNNING, "RUNNING")
    assert one.rate_now == one.rate_running == Rate(0.69, "reported")
    assert one.rate_stopped == Rate(100 * 0.20 / 730, "computed")
    assert one.allowed == frozenset({"stop", "destroy"})
    assert (one.disk_gb, one.created_at) == (150.0, 1793491200.0)
    assert one.watched_by == Address("203.0.113.9", 34001)
    assert survives_stop("/workspace/runs/a", one.keeps) is True
    assert survives_stop("/root/runs", one.keeps) is False


@pytest.mark.parametrize(
    "mounts",
    [
        "none told",
        {"network": {"volumeId": "v1", "path": "/workspace"}},
        {"network": [{"volumeId": "v1", "path": "/workspace"}]},
        {"persistent": {}},
        {"archive": {"size": 100}},
        [],
    ],
)
def test_what_a_stopped_pod_bills_is_free_only_where_it_has_no_mount(
    account_runpod: RunPod, fake_runpod: FakeRunPod, mounts: object
) -> None:
    stopped = pod(**STOPPED, mounts=mounts)
    if mounts == "none told":
        del stopped["mounts"]
    fake_runpod.pods = [stopped, pod(**STOPPED, id="bare", mounts={"persistent": None})]
    unknown, free = account_runpod.list().instances
    assert unknown.rate_now == unknown.rate_stopped == NO_RATE
    assert free.rate_now == Rate(0.0, "computed")
    if isinstance(mounts, dict) and "network" in mounts:
        assert unknown.keeps.outlives == (
            "network volume v1, $0.07 a GB-month by the prices of 2026-11",
        )
        assert survives_stop("/workspace/runs", unknown.keeps) is True


@pytest.mark.parametrize(
    ("mounts", "note"),
    [
        (
            {"persistent": {"size": 10, "path": "/data"}},
            "all but /data is cleared; its volume costs twice as much while stopped, "
            "$0.20 a GB-month by the prices of 2026-11",
        ),
        ({"network": [{"path": "/net"}]}, "all but /net is cleared"),
        (None, "everything on it is cleared: no volume of it has a place that is known"),
    ],
)
def test_a_stop_is_said_to_keep_what_this_pod_has(
    account_runpod: RunPod, fake_runpod: FakeRunPod, mounts: object, note: str
) -> None:
    fake_runpod.pods = [pod(mounts=mounts)]
    assert account_runpod.list().instances[0].keeps.stop_note == note


def test_the_proxy_runs_no_commands(account_runpod: RunPod, fake_runpod: FakeRunPod) -> None:
    ssh = {"proxy": pod()["ssh"]["proxy"], "direct": None}
    fake_runpod.pods = [pod(ssh=ssh, runtime=None)]
    (one,) = account_runpod.list().instances
    assert one.watched_by is None
    assert not one.addresses[0].runs_commands and "22" in (one.addresses[0].note or "")
    assert any("proxy" in line for line in one.warnings)
    fake_runpod.pods = [pod(ssh=ssh)]
    (one,) = account_runpod.list().instances
    assert [way.kind for way in one.addresses] == ["direct", "proxy"]


def test_a_stopped_pod_bills_its_volume_and_keeps_its_last_price(
    account_runpod: RunPod, fake_runpod: FakeRunPod
) -> None:
    fake_runpod.pods = [pod(**STOPPED)]
    (one,) = account_runpod.list().instances
    assert one.state is State.STOPPED and one.rate_running == Rate()
    fake_runpod.pods = [pod()]
    account_runpod.list()
    fake_runpod.pods = [pod(**STOPPED)]
    (one,) = account_runpod.list().instances
    assert one.rate_running == Rate(0.69, "reported")
    assert one.rate_now == Rate(100 * 0.20 / 730, "computed")


def test_without_a_volume_a_stop_loses_everything(
    account_runpod: RunPod, fake_runpod: FakeRunPod
) -> None:
    fake_runpod.pods = [pod(mounts=None)]
    (one,) = account_runpod.list().instances
    assert one.keeps.kept == () and survives_stop("/workspace", one.keeps) is False
    assert one.rate_stopped == Rate(0.0, "computed")
    network = {"network": [{"volumeId": "nv1", "path": "/workspace"}]}
    fake_runpod.pods = [pod(mounts=network, locked=True)]
    (one,) = account_runpod.list().instances
    assert one.rate_stopped == Rate()
    (volume,) = one.keeps.outlives
    assert volume.startswith("network volume nv1, $0.07 a GB-month")
    assert one.allowed == frozenset({"destroy"})


@pytest.mark.parametrize(
    ("status", "cost", "state", "usd", "assumed"),
    [
        ("PROVISIONING", 0.69, State.STARTING, 0.69, False),
        ("STARTING", None, State.STARTING, None, True),
        ("ERROR", 0.0, State.FAILED, None, True),
        ("TERMINATED", 0.0, State.GONE, 0.0, False),
        ("running", "0.69", State.RUNNING, 0.69, False),
        ("HIBERNATED", 0.0, State.UNKNOWN, None, True),
        (None, 0.69, State.UNKNOWN, 0.69, False),
        (7, -1, State.UNKNOWN, None, True),
    ],
)
def test_no_status_is_free_or_a_crash(
    account_runpod: RunPod,
    fake_runpod: FakeRunPod,
    status: object,
    cost: object,
    state: State,
    usd: float | None,
    assumed: bool,
) -> None:
    fake_runpod.pods = [pod(status=status, cost=cost)]
    (one,) = account_runpod.list().instances
    assert (one.state, one.rate_now.usd_per_hour, one.rate_assumed) == (state, usd, assumed)


def test_stop_start_destroy(account_runpod: RunPod, fake_runpod: FakeRunPod) -> None:
    for action in ("stop", "start"):
        fake_runpod.allow(action, ID)
        assert getattr(account_runpod, action)(ID).result == "accepted"
    fake_runpod.allow("destroy", ID)
    assert account_runpod.destroy(ID).result == "accepted"
    assert account_runpod.get(ID) is None
    fake_runpod.allow("destroy", ID)
    again = account_runpod.destroy(ID)
    assert (again.result, again.already) == ("accepted", True)


def test_an_illegal_action_is_refused_with_409(
    account_runpod: RunPod, fake_runpod: FakeRunPod
) -> None:
    fake_runpod.allow("start", ID)
    reply = account_runpod.start(ID)
    assert (reply.result, reply.why) == ("refused", "not_now")
    assert "not valid for current status" in reply.message


@pytest.mark.parametrize("status", [400, 409, 422, 500, 503])
def test_no_free_gpu_is_known_by_its_words(
    account_runpod: RunPod, fake_runpod: FakeRunPod, status: int
) -> None:
    fake_runpod.fail(problem(status, "x", NO_GPU), "POST")
    fake_runpod.allow("start", ID)
    reply = account_runpod.start(ID)
    assert (reply.result, reply.why) == ("refused", "capacity")
    assert NO_GPU in reply.message


@pytest.mark.parametrize("action", ["stop", "start", "destroy"])
@pytest.mark.parametrize("canned", [LOST, Canned(502, b"<html>"), Canned(200, b"ok")])
def test_a_lost_answer_is_unconfirmed(
    account_runpod: RunPod, fake_runpod: FakeRunPod, action: str, canned: Canned
) -> None:
    fake_runpod.fail(canned, "DELETE" if action == "destroy" else "POST")
    fake_runpod.allow(action, ID)
    wanted = "accepted" if action == "destroy" and canned.status == 200 and not canned.lost else ""
    assert getattr(account_runpod, action)(ID).result == (wanted or "unconfirmed")


def test_429_closes_the_list_for_the_time_it_names(
    account_runpod: RunPod, fake_runpod: FakeRunPod, clock: StillClock
) -> None:
    fake_runpod.fail(Canned(429, b"slow down", {"Retry-After": "120"}))
    with pytest.raises(ProviderError) as caught:
        account_runpod.list()
    assert (caught.value.kind, caught.value.retry_after_s) == ("rate", 120.0)
    clock.now += 119
    with pytest.raises(ProviderError):
        account_runpod.list()
    assert fake_runpod.count("GET") == 1
    clock.now += 2
    assert len(account_runpod.list().instances) == 1


def test_the_balance_is_one_graphql_query(account_runpod: RunPod, fake_runpod: FakeRunPod) -> None:
    found = account_runpod.account()
    assert (found.credit, found.credit_field) == (18.4, "clientBalance")
    assert found.reported_rate == Rate(0.69, "reported")
    fake_runpod.balance = {"errors": [{"message": "deprecated"}], "data": None}
    with pytest.raises(ProviderError, match="deprecated"):
        account_runpod.account()


@pytest.mark.parametrize("action", ["stop", "start"])
def test_an_unavailable_service_is_no_refusal(
    account_runpod: RunPod, fake_runpod: FakeRunPod, action: str
) -> None:
    canned = problem(503, "Service Unavailable", "the service is temporarily unavailable")
    fake_runpod.fail(canned, "POST")
    fake_runpod.allow(action, ID)
    assert getattr(account_runpod, action)(ID).result == "unconfirmed"


def test_logs_end_with_the_lines_asked_for_or_an_error(
    account_runpod: RunPod, fake_runpod: FakeRunPod
) -> None:
    fake_runpod.log = b"".join(b"data: %d\n\n" % number for number in range(50))
    assert account_runpod.logs(ID, 3) == ("47", "48", "49")
    fake_runpod.fail(problem(404, "Not Found", "pod not found"))
    with pytest.raises(ProviderError, match="pod not found"):
        account_runpod.logs(ID)


def test_logs_are_what_comes_before_silence(account_runpod: RunPod) -> None:
    assert account_runpod.logs(ID) == ("one", "two")


@pytest.mark.parametrize("body", [{}, {"pods": None}, [], "x"])
def test_no_list_is_an_error(account_runpod: RunPod, fake_runpod: FakeRunPod, body: object) -> None:
    fake_runpod.fail(Canned(200, body))
    with pytest.raises(ProviderError):
        account_runpod.list()


def test_what_a_stopped_pod_costs_is_no_running_price(
    account_runpod: RunPod, fake_runpod: FakeRunPod
) -> None:
    fake_runpod.pods = [pod(**{**STOPPED, "cost": 0.027})]
    (one,) = account_runpod.list().instances
    assert one.rate_running == NO_RATE
    assert one.rate_now == Rate(100 * 0.20 / 730, "computed")


def test_a_minute_has_60_requests_at_most(
    account_runpod: RunPod, fake_runpod: FakeRunPod, clock: StillClock
) -> None:
    account_runpod.list()
    account_runpod.account()
    fake_runpod.allow("stop", ID)
    account_runpod.stop(ID)
    assert clock.pauses == [1.0, 1.0]
