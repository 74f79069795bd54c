from __future__ import annotations

import threading
from dataclasses import replace

from tests.providers.build import StillClock
from tests.providers.fake_http import HTML_503, Canned
from tests.providers.fake_lambda import FakeLambda
from tests.providers.fake_runpod import FakeRunPod
from tests.providers.fake_vast import FakeVast, row
from tests.waiting import wait_until
from tui.money import NO_RATE, Rate
from tui.providers.account import Accounts, Earlier, ProviderView, Seen, Watched
from tui.providers.base import Account, Capabilities, Instance, Listing, Provider, Reply, State
from tui.providers.demo import Demo
from tui.providers.errors import ProviderError
from tui.providers.lambda_ import Lambda
from tui.providers.runpod import RunPod
from tui.providers.vast import Vast


class Scripted:
    """Lists what it is told."""

    name = "scripted"
    capabilities = Capabilities()

    def __init__(self, *listings: Listing | Exception) -> None:
        self.listings = list(listings)

    def list(self) -> Listing:
        found = self.listings.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    def get(self, id: str) -> Instance | None:
        return None

    def account(self) -> Account | None:
        raise KeyError("bug")

    def stop(self, id: str) -> Reply:
        raise AssertionError

    start = destroy = stop

    def logs(self, id: str, lines: int = 200) -> tuple[str, ...]:
        return ()

    def close(self) -> None:
        pass


def listing(*ids: str, complete: bool = True) -> Listing:
    return Listing(tuple(Instance("scripted", id, id, State.RUNNING) for id in ids), complete)


def ids(watched: Watched) -> list[tuple[str, bool]]:
    seen = watched.refresh(now=True).seen
    return [(one.instance.id, one.gone_maybe) for one in seen]


def test_all_accounts_are_one_view(
    account_vast: Vast, account_runpod: RunPod, account_lambda: Lambda, clock: StillClock
) -> None:
    accounts = Accounts([account_vast, account_runpod, account_lambda, Demo(clock=clock)], clock)
    assert accounts.view.seen == () and accounts.view.providers[0].listed_at is None
    view = accounts.refresh()
    assert [one.instance.id for one in view.seen[:3]] == ["700001", "abc123pod", "0a1b"]
    assert len(view.seen) == 6
    assert accounts.provider("vast") is account_vast and accounts.provider("x") is None
    assert view.find("vast", "700001") and view.find("runpod", "700001") is None


def test_ids_are_text_whatever_the_api_sends(
    account_vast: Vast, fake_vast: FakeVast, clock: StillClock
) -> None:
    watched = Watched(account_vast, clock)
    for id in (700001, "700001", 700001.0, " 700001"):
        fake_vast.rows = [row(id=id)]
        (one,) = watched.refresh(now=True).seen
        assert one.instance.id == "700001" and not one.gone_maybe


def test_one_list_call_in_a_while(
    account_vast: Vast, fake_vast: FakeVast, clock: StillClock
) -> None:
    watched = Watched(account_vast, clock)
    for _ in range(30):
        watched.refresh()
        clock.now += 1
    assert fake_vast.count("GET", "/instances/") == 2
    watched.refresh(now=True)
    assert fake_vast.count("GET", "/instances/") == 3
    assert fake_vast.count("GET", "/users/") == 1


def test_one_providers_error_leaves_the_others(
    account_vast: Vast,
    fake_vast: FakeVast,
    account_runpod: RunPod,
    fake_runpod: FakeRunPod,
    clock: StillClock,
) -> None:
    accounts = Accounts([account_vast, account_runpod], clock)
    fake_vast.fail(HTML_503, times=3)
    view = accounts.refresh()
    broken, well = view.provider("vast"), view.provider("runpod")
    assert broken is not None and broken.error and broken.listed_at is None
    assert well is not None and well.error is None and len(well.seen) == 1
    fake_runpod.balance = {"errors": [{"message": "gone"}], "data": None}
    assert well.account is not None and well.account.credit == 18.4


def test_a_key_that_may_not_read_the_credit_still_lists(
    account_vast: Vast, fake_vast: FakeVast, clock: StillClock
) -> None:
    fake_vast.fail(Canned(403, {"msg": "scope"}), path="/users/")
    view = Watched(account_vast, clock).refresh()
    assert len(view.seen) == 1 and view.error is None and view.account is None
    assert view.account_error is not None and view.account_error.kind == "forbidden"


def test_a_credit_that_was_read_long_ago_is_not_known_any_more(
    account_vast: Vast, fake_vast: FakeVast, clock: StillClock
) -> None:
    watched = Watched(account_vast, clock)
    assert watched.refresh().account is not None
    fake_vast.fail(Canned(403, {"msg": "no"}), path="/users/current", times=9)
    for passed, is_known in [(310.0, True), (620.0, True), (930.0, False), (1240.0, False)]:
        clock.now += 310.0
        view = watched.refresh()
        assert (view.account is not None) == is_known, passed
        assert view.account_error is not None and view.error is None


def test_an_incomplete_list_confirms_nothing(clock: StillClock) -> None:
    script = Scripted(
        listing("a", "b"),
        *[listing("a", complete=False)] * 3,
        listing("a"),
        listing("a", "b"),
        listing("a"),
        KeyError("x"),
        listing("a"),
        listing("b", "c"),
    )
    watched = Watched(script, clock)
    assert ids(watched) == [("a", False), ("b", False)]
    for _ in range(3):
        assert ids(watched) == [("a", False), ("b", False)]
    assert ids(watched) == [("a", False), ("b", True)]
    assert ids(watched) == [("a", False), ("b", False)]
    assert ids(watched) == [("a", False), ("b", True)]
    assert ids(watched) == [("a", False), ("b", True)]
    assert watched.view.error is not None and watched.view.error.kind == "internal"
    assert ids(watched) == [("a", False)]
    assert watched.view.gone == {"b"}
    assert ids(watched) == [("a", True), ("b", False), ("c", False)]
    assert watched.view.gone == frozenset()
    account_error = watched.view.account_error
    assert account_error is not None and "KeyError" in str(account_error)


def test_a_row_that_vanishes_by_another_hand(
    account_lambda: Lambda, fake_lambda: FakeLambda, clock: StillClock
) -> None:
    watched = Watched(account_lambda, clock)
    watched.refresh()
    fake_lambda.rows = []
    clock.now += account_lambda.capabilities.list_seconds
    assert watched.refresh().seen[0].gone_maybe
    clock.now += account_lambda.capabilities.list_seconds
    assert watched.refresh().gone == {"0a1b"}


def test_a_slow_provider_holds_no_view_up(clock: StillClock) -> None:
    begun, go_on = threading.Event(), threading.Event()

    class Slow(Scripted):
        name = "slow"

        def list(self) -> Listing:
            begun.set()
            go_on.wait(10)
            return listing("s")

    providers: list[Provider] = [Slow(), Demo(clock=clock)]
    accounts = Accounts(providers, clock)
    thread = threading.Thread(target=accounts.refresh)
    thread.start()
    assert begun.wait(10)
    wait_until(lambda: len(accounts.view.seen) == 3, what="the demo's boxes")
    go_on.set()
    thread.join()
    assert len(accounts.view.seen) == 4
    accounts.close()


def test_where_the_list_fails_nobody_waits_for_the_credit(
    account_vast: Vast, fake_vast: FakeVast, clock: StillClock
) -> None:
    fake_vast.fail(HTML_503, path="/api/v1/instances", times=3)
    watched = Watched(account_vast, clock)
    assert watched.refresh(now=True).error is not None
    assert fake_vast.count("GET", "/users/current") == 0
    assert watched.refresh(now=True).account is not None


def test_no_answer_keeps_a_list_closed_for_days(clock: StillClock) -> None:
    patient = ProviderError("server", "down", retry_after_s=864_000.0)
    watched = Watched(Scripted(patient, listing("1")), clock)
    assert watched.refresh(now=True).error is not None
    clock.now += 3_601.0
    assert ids(watched) == [("1", False)]


def test_only_who_is_needed_is_asked(clock: StillClock) -> None:
    other = Scripted(listing("1"))
    accounts = Accounts([other, Demo(clock=clock)], clock)
    asked = {one.provider: one.listed_at for one in accounts.refresh(True, ("demo",)).providers}
    assert asked["demo"] is not None and asked["scripted"] is None
    assert len(other.listings) == 1


def before(clock: StillClock, seconds: float, *ids: str) -> Earlier:
    rate = Rate(0.5, "reported")
    return Earlier(
        clock.wall() - seconds,
        tuple(Seen(Instance("scripted", id, id, State.RUNNING, rate_running=rate)) for id in ids),
    )


DOWN = ProviderError("server", "down")


def test_what_an_earlier_session_was_told_is_shown_where_no_list_comes(clock: StillClock) -> None:
    watched = Watched(Scripted(DOWN, DOWN, listing("2"), DOWN), clock)
    watched.remember(before(clock, 7200.0, "1", "2"))
    assert watched.view.seen == (), "nobody was asked yet"
    assert ids(watched) == [("1", False), ("2", False)]
    view = watched.view
    assert (view.listed_at, view.earlier_s, view.error) == (None, 7200.0, DOWN)
    clock.now += 60.0
    assert watched.refresh(now=True).earlier_s == 7260.0
    assert ids(watched) == [("1", True), ("2", False)], "what was shown does not just vanish"
    assert watched.view.listed_at is not None and watched.view.earlier_s is None
    assert ids(watched) == [("1", True), ("2", False)]
    assert watched.view.earlier_s is None


def test_an_earlier_session_counts_among_the_lists_that_lack_one_if_it_is_recent(
    clock: StillClock,
) -> None:
    recent = Watched(Scripted(listing("2")), clock)
    recent.remember(before(clock, 60.0, "1", "2"))
    assert ids(recent) == [("1", True), ("2", False)]
    again = Watched(Scripted(listing("2")), clock)
    again.remember(Earlier(clock.wall(), recent.view.seen))
    assert ids(again) == [("2", False)] and again.view.gone == {"1"}
    old = Watched(Scripted(listing("2")), clock)
    old.remember(before(clock, 86_400.0, "1", "2"))
    assert ids(old) == [("2", False)]


def test_a_running_price_that_is_not_told_any_more_is_the_last_one(clock: StillClock) -> None:
    watched = Watched(Scripted(listing("1", "3"), listing("1")), clock)
    watched.remember(before(clock, 86_400.0, "1", "2"))
    for _ in range(2):
        first = watched.refresh(now=True).seen[0].instance
        assert first.rate_running == Rate(0.5, "reported")
    assert watched.view.seen[1].instance.rate_running == NO_RATE


def test_what_another_key_listed_is_another_account_s(clock: StillClock) -> None:
    """Two keys of one vendor may share a data directory: neither lacks the other's boxes."""
    provider = Scripted(ProviderError("server", "503"), listing("b"))
    watched = Watched(provider, clock, owner="mine")
    watched.remember(Earlier(clock.wall() - 60, (seen_of("a"),), "theirs"))
    assert ids(watched) == [], "it is no list of this account"
    clock.now += 60
    assert ids(watched) == [("b", False)], "a is nothing that this account lacks"
    assert watched.view.owner == "mine" and watched.awaited == ()


def test_a_key_that_stands_for_no_account_leaves_the_last_list_to_see(clock: StillClock) -> None:
    for kind in ("auth", "bad_key", "no_key"):
        watched = Watched(Scripted(ProviderError(kind, "no")), clock, owner="new")  # type: ignore[arg-type]
        watched.remember(Earlier(clock.wall() - 60, (seen_of("a"),), "old"))
        assert ids(watched) == [("a", False)]
        assert watched.view.earlier_s == 60.0


def test_a_list_of_whom_nobody_knows_or_of_this_key_is_compared(clock: StillClock) -> None:
    for owner in ("", "mine"):
        watched = Watched(Scripted(listing("b")), clock, owner="mine")
        watched.remember(Earlier(clock.wall() - 60, (seen_of("a"),), owner))
        assert ids(watched) == [("a", True), ("b", False)]


def seen_of(id: str) -> Seen:
    return Seen(Instance("scripted", id, id, State.RUNNING))


def test_what_its_vendor_calls_gone_burns_no_credit() -> None:
    gone = Instance("vast", "1", "a", State.GONE, rate_now=Rate(0.07, "reported"))
    queued = replace(gone, id="2", state=State.QUEUED)
    view = ProviderView("vast", (Seen(gone), Seen(queued, gone_maybe=True)))
    assert view.rates == (Rate(0.07, "reported"),)
