from __future__ import annotations

import pytest

from tests.providers.build import StillClock, make_api
from tests.providers.fake_http import HTML_503, KEY, LOST, Canned
from tests.providers.fake_vast import STOPPED, FakeVast, row
from tui.money import NO_RATE, Rate
from tui.providers import vast
from tui.providers.base import Address, ProviderError, State
from tui.providers.vast import Vast

ID = "700001"


def test_a_row_becomes_an_instance(account_vast: Vast) -> None:
    (one,) = account_vast.list().instances
    assert (one.id, one.name, one.state, one.raw_state) == (ID, "yolo9s", State.RUNNING, "running")
    assert (one.gpu_name, one.gpu_count, one.disk_gb) == ("RTX 4090", 8, 250.0)
    assert one.rate_running == one.rate_now == Rate(3.4828, "reported")
    assert one.rate_stopped == Rate(0.0694444, "reported")
    assert (one.created_at, one.contract_end) == (1796000000.1, 1798000000.0)
    assert one.addresses == (
        Address("198.51.100.7", 41022),
        Address("ssh9.example.test", 21000, kind="proxy"),
    )
    assert one.keeps.kept == ("/",)


def test_a_stopped_box_bills_its_disk(account_vast: Vast, fake_vast: FakeVast) -> None:
    fake_vast.rows = [row(**STOPPED)]
    (one,) = account_vast.list().instances
    assert (one.state, one.rate_now.usd_per_hour) == (State.STOPPED, 0.0694444)
    assert [way.kind for way in one.addresses] == ["proxy"]


def test_without_a_figure_of_its_own_a_month_has_720_hours(
    account_vast: Vast, fake_vast: FakeVast
) -> None:
    fake_vast.rows = [row(storage_total_cost=None, search=None)]
    (one,) = account_vast.list().instances
    assert one.rate_stopped.source == "computed"
    assert round(one.rate_stopped.usd_per_hour or 0, 4) == 0.0694


def test_a_zero_beside_another_figure_is_no_price(account_vast: Vast, fake_vast: FakeVast) -> None:
    nothing = {"totalHour": 0, "diskHour": 0}
    fake_vast.rows = [
        row(search=nothing, instance=nothing, storage_total_cost=0),
        row(id=2, search=nothing, instance=nothing, dph_total=0),
        row(id=3, **{**STOPPED, "instance": nothing}, search=nothing, storage_total_cost=0),
        row(id=4, **STOPPED, storage_total_cost=0, storage_cost=0),
    ]
    gap, unpriced, stopped, by_search = account_vast.list().instances
    assert gap.rate_now == gap.rate_running == Rate(3.4828, "reported")
    assert unpriced.rate_now == unpriced.rate_running == NO_RATE
    assert stopped.rate_now == stopped.rate_stopped == Rate(250 * 0.20 / 720, "computed")
    assert by_search.rate_stopped == Rate(0.0694444, "reported")


def test_jupyter_boxes_have_two_proxy_ports(account_vast: Vast, fake_vast: FakeVast) -> None:
    fake_vast.rows = [row(image_runtype="jupyter_direc ssh_proxy", ports=None)]
    (one,) = account_vast.list().instances
    assert [way.port for way in one.addresses] == [21000, 21001]


def test_all_pages_are_read_and_paced(
    account_vast: Vast, fake_vast: FakeVast, clock: StillClock
) -> None:
    fake_vast.rows = [row(id=number) for number in range(1, 8)]
    fake_vast.page = 3
    listing = account_vast.list()
    assert [one.id for one in listing.instances] == ["1", "2", "3", "4", "5", "6", "7"]
    assert listing.complete and fake_vast.count("GET") == 3
    assert sum(clock.pauses) == pytest.approx(2.0)


def test_a_second_page_that_fails_is_no_shorter_list(
    account_vast: Vast, fake_vast: FakeVast
) -> None:
    fake_vast.rows = [row(id=number) for number in range(1, 5)]
    fake_vast.page = 3
    fake_vast.fail(Canned(200, {"instances": fake_vast.rows[:3], "next_token": "3"}))
    fake_vast.fail(HTML_503, times=3)
    with pytest.raises(ProviderError) as caught:
        account_vast.list()
    assert caught.value.kind == "server"


def test_a_list_without_end_is_an_error(account_vast: Vast, fake_vast: FakeVast) -> None:
    same = Canned(200, {"instances": [row()], "next_token": "again"})
    fake_vast.fail(same, times=5)
    with pytest.raises(ProviderError, match="does not end"):
        account_vast.list()


@pytest.mark.parametrize(
    "body", [{"instances": None}, {}, [], None, "x", {"success": False, "instances": []}]
)
def test_no_list_is_an_error_and_not_an_empty_list(
    account_vast: Vast, fake_vast: FakeVast, body: object
) -> None:
    fake_vast.fail(Canned(200, body if body is not None else b"null"))
    with pytest.raises(ProviderError) as caught:
        account_vast.list()
    assert caught.value.kind == "protocol"


def test_bad_rows_are_left_out_and_named(account_vast: Vast, fake_vast: FakeVast) -> None:
    booting = row(id=2, start_date=None, extra_env=None, actual_status=None, gpu_name=None)
    texts = row(id="3", dph_total="0.4", num_gpus="1", storage_total_cost="0.01", search={})
    odd = row(id=4, actual_status=["x"], label={"a": 1}, ports="none", instance=7, end_date="no")
    fake_vast.rows = [
        None,
        7,
        {"label": "no id"},
        row(id="../x"),
        row(id=True),
        booting,
        texts,
        odd,
    ]
    listing = account_vast.list()
    assert [one.id for one in listing.instances] == ["2", "3", "4"]
    assert not listing.complete
    assert listing.warnings == ("vast: 5 rows of the list cannot be read",)
    assert listing.instances[0].state is State.STARTING
    assert listing.instances[0].created_at is None
    assert listing.instances[1].rate_running == Rate(0.4, "reported")
    assert listing.instances[2].state is State.UNKNOWN


def test_hostile_text_is_harmless(account_vast: Vast, fake_vast: FakeVast) -> None:
    fake_vast.rows = [
        row(
            label="\x1b]0;x\x07box\n[red]",
            ssh_host="-oProxyCommand=x",
            public_ipaddr="a b",
            status_msg=f"token hf_{'a' * 30}",
        )
    ]
    (one,) = account_vast.list().instances
    assert "\x1b" not in one.name and "\n" not in one.name
    assert one.addresses == ()
    assert "aaaa" not in (one.reason or "")


def test_a_start_may_be_refused_with_200_and_stay_queued(
    account_vast: Vast, fake_vast: FakeVast
) -> None:
    fake_vast.rows = [row(**STOPPED)]
    fake_vast.gpu_taken = True
    fake_vast.allow("start", ID)
    reply = account_vast.start(ID)
    assert (reply.result, reply.why, reply.queued) == ("refused", "capacity", True)
    assert "queued" in reply.message and "stop cancels" in (reply.hint or "")
    (one,) = account_vast.list().instances
    assert one.state is State.QUEUED and "stop" in (one.allowed or ())
    assert one.rate_now.usd_per_hour == 0.0694444
    fake_vast.allow("stop", ID)
    assert account_vast.stop(ID).result == "accepted"
    assert account_vast.list().instances[0].state is State.STOPPED


def test_stop_and_start_are_accepted(account_vast: Vast, fake_vast: FakeVast) -> None:
    fake_vast.allow("stop", ID)
    fake_vast.allow("start", ID)
    assert account_vast.stop(ID).result == "accepted"
    found = account_vast.get(ID)
    assert found is not None and found.state is State.STOPPED
    assert account_vast.start(ID).result == "accepted"


def test_destroy_accepted_is_not_gone_yet(account_vast: Vast, fake_vast: FakeVast) -> None:
    fake_vast.linger = 1
    fake_vast.allow("destroy", ID)
    assert account_vast.destroy(ID).result == "accepted"
    assert len(account_vast.list().instances) == 1
    assert account_vast.list().instances == ()
    assert account_vast.get(ID) is None


@pytest.mark.parametrize("action", ["stop", "start", "destroy"])
@pytest.mark.parametrize("fault", [LOST, HTML_503, Canned(500, {"msg": "x"}), Canned(200, b"{")])
def test_a_lost_answer_is_unconfirmed_and_never_repeated(
    account_vast: Vast, fake_vast: FakeVast, action: str, fault: Canned
) -> None:
    method = "DELETE" if action == "destroy" else "PUT"
    fake_vast.fail(fault, method, times=5)
    fake_vast.allow(action, ID)
    reply = getattr(account_vast, action)(ID)
    assert reply.result == "unconfirmed" and reply.hint
    assert KEY not in reply.message


def test_a_change_that_was_not_sent_says_so(clock: StillClock) -> None:
    fake = FakeVast()
    fake.close()
    provider = Vast(make_api("vast", fake.url, vast.SPACING, clock))
    with pytest.raises(ProviderError, match="nothing was sent") as caught:
        provider.destroy(ID)
    assert caught.value.kind == "unreachable" and fake.ledger == []


@pytest.mark.parametrize(
    ("status", "body", "why"),
    [
        (401, {"success": False, "error": "auth_error", "msg": "Invalid user key"}, "auth"),
        (403, {"msg": "no"}, "auth"),
        (429, b"API requests too frequent: endpoint threshold=3.0", "rate"),
        (400, {"success": False, "error": "insufficient_credit", "msg": "no money"}, "credit"),
        (400, {"success": False, "error": "invalid_args", "msg": "bad"}, "other"),
        (200, {"success": False, "error": "other", "msg": "no"}, "other"),
        (404, {"success": False, "error": "no_such_instance", "msg": "none"}, "other"),
    ],
)
def test_refusals_carry_the_vendors_words(
    account_vast: Vast, fake_vast: FakeVast, status: int, body: object, why: str
) -> None:
    fake_vast.fail(Canned(status, body), "PUT")
    fake_vast.allow("stop", ID)
    reply = account_vast.stop(ID)
    assert (reply.result, reply.why) == ("refused", why)
    assert reply.message


def test_a_queue_is_only_what_the_vendor_calls_one(account_vast: Vast, fake_vast: FakeVast) -> None:
    body = {"success": False, "error": "resources_unavailable", "msg": "none are free"}
    fake_vast.fail(Canned(200, body), "PUT")
    fake_vast.allow("start", ID)
    assert not account_vast.start(ID).queued


@pytest.mark.parametrize("id", ["", "../users", "1/2", "a b", "1?x=1", "-x", "é"])
def test_an_id_that_is_none_is_not_sent(account_vast: Vast, fake_vast: FakeVast, id: str) -> None:
    for method in (account_vast.stop, account_vast.start, account_vast.destroy, account_vast.get):
        with pytest.raises(ProviderError):
            method(id)
    assert fake_vast.requests == []


@pytest.mark.parametrize("body", [b"<!DOCTYPE html><h1>404</h1>", b"  <html>"])
def test_a_page_that_is_not_found_destroyed_nothing(
    account_vast: Vast, fake_vast: FakeVast, body: bytes
) -> None:
    fake_vast.fail(Canned(404, body), "DELETE")
    fake_vast.allow("destroy", ID)
    reply = account_vast.destroy(ID)
    assert (reply.result, reply.already) == ("refused", False)


def test_get_must_answer_about_the_asked_one(account_vast: Vast, fake_vast: FakeVast) -> None:
    fake_vast.fail(Canned(200, {"instances": row(id=5)}))
    with pytest.raises(ProviderError, match="not about"):
        account_vast.get(ID)
    fake_vast.fail(Canned(404, b"<html>nginx</html>"))
    with pytest.raises(ProviderError):
        account_vast.get(ID)


def test_the_credit_and_its_field_are_named(account_vast: Vast, fake_vast: FakeVast) -> None:
    fake_vast.credit = {"credit": "5.0", "balance": -0.4}
    found = account_vast.account()
    assert (found.credit, found.credit_field) == (5.0, "credit")
    fake_vast.fail(Canned(403, {"success": False, "error": "auth_error", "msg": "scope"}))
    with pytest.raises(ProviderError) as caught:
        account_vast.account()
    assert caught.value.kind == "forbidden" and "scopes" in (caught.value.hint or "")


def test_logs_come_from_where_vast_says_and_without_the_key(
    account_vast: Vast, fake_vast: FakeVast
) -> None:
    fake_vast.log = "one\n\x1b[31mtwo\x1b[0m\nthree\n"
    fake_vast.fail(Canned(404), "GET", "/logs/", times=2)
    assert account_vast.logs(ID, 2) == ("two", "three")
    fetched = [one for one in fake_vast.requests if one.path.startswith("/logs/")]
    assert len(fetched) == 3
    assert all("authorization" not in one.headers for one in fetched)


def test_a_log_elsewhere_in_the_clear_is_not_fetched(
    account_vast: Vast, fake_vast: FakeVast
) -> None:
    fake_vast.fail(Canned(200, {"result_url": "http://203.0.113.7/x"}), "PUT", "request_logs")
    with pytest.raises(ProviderError) as caught:
        account_vast.logs(ID)
    assert caught.value.kind == "usage"


def test_a_list_whose_every_page_names_another_ends(
    account_vast: Vast, fake_vast: FakeVast
) -> None:
    for page in range(vast.MOST_PAGES + 5):
        fake_vast.fail(Canned(200, {"instances": [row(id=page)], "next_token": f"t{page}"}))
    with pytest.raises(ProviderError, match="does not end"):
        account_vast.list()
    assert fake_vast.count("GET") == vast.MOST_PAGES + 1


def test_a_list_shorter_than_its_own_total_is_not_complete(
    account_vast: Vast, fake_vast: FakeVast
) -> None:
    fake_vast.fail(Canned(200, {"instances": [row()], "total_instances": 3, "next_token": None}))
    listing = account_vast.list()
    assert (len(listing.instances), listing.complete) == (1, False)
    assert listing.warnings == ("vast: 2 rows of the list did not come",)


@pytest.mark.parametrize("error", ["resources_unavailable", "insufficient_credit", "other"])
def test_a_fault_of_the_server_is_no_refusal_whatever_it_says(
    account_vast: Vast, fake_vast: FakeVast, error: str
) -> None:
    fake_vast.fail(Canned(503, {"success": False, "error": error, "msg": "queued"}), "PUT")
    fake_vast.allow("start", ID)
    reply = account_vast.start(ID)
    assert (reply.result, reply.queued) == ("unconfirmed", False)


def test_each_call_keeps_the_distance_that_the_vendor_names(
    account_vast: Vast, fake_vast: FakeVast, clock: StillClock
) -> None:
    for call, seconds in ((account_vast.list, 1.0), (account_vast.account, 2.0)):
        call()
        clock.pauses.clear()
        call()
        assert clock.pauses == [pytest.approx(seconds)]
    for action, seconds in (("get", 2.0), ("stop", 1.0), ("destroy", 3.0)):
        for _ in range(2):
            clock.pauses.clear()
            if action != "get":
                fake_vast.allow(action, ID)
            getattr(account_vast, action)(ID)
        assert clock.pauses == [pytest.approx(seconds)]


def test_a_log_on_this_machine_is_fetched_past_the_environment_s_proxy(
    account_vast: Vast, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert account_vast.logs(ID) == ("one", "two")
