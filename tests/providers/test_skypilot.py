from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tui.money import Rate
from tui.providers.base import ProviderError, State
from tui.providers.skypilot import SkyPilot

CLUSTERS = [
    {
        "name": "train-a",
        "status": "UP",
        "launched_at": 1796000000,
        "cloud": "AWS",
        "resources_str": "1x(gpus=A100:8, ...)",
        "accelerators": {"A100": 8},
        "last_event": "Cluster is up",
    },
    {"name": "pod-b", "status": "INIT", "cloud": "RunPod", "accelerators": "{'RTX4090': 1}"},
    {"name": "c", "status": "ClusterStatus.STOPPED", "cloud": "GCP"},
    {"name": "d", "status": "MELTED"},
    {"name": "-x"},
]
MakeSky = Callable[..., SkyPilot]


@pytest.fixture
def make_sky(tmp_path: Path) -> MakeSky:
    """A program ``sky`` that prints ``out`` and writes down how it was called."""

    def make(out: str, status: int = 0) -> SkyPilot:
        program = tmp_path / "sky"
        (tmp_path / "out").write_text(out)
        program.write_text(
            f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\ncat {tmp_path}/out\nexit {status}\n'
        )
        program.chmod(0o755)
        return SkyPilot(str(program))

    return make


def test_clusters_become_instances(make_sky: MakeSky) -> None:
    sky = make_sky("[notice] new version\nrefreshing\n" + json.dumps(CLUSTERS, indent=1) + "\nbye")
    listing = sky.list()
    assert [(one.id, one.state) for one in listing.instances] == [
        ("train-a", State.RUNNING),
        ("pod-b", State.STARTING),
        ("c", State.STOPPED),
        ("d", State.UNKNOWN),
    ]
    assert not listing.complete
    first, second = listing.instances[:2]
    assert (first.gpu_name, first.gpu_count, first.rate_now) == ("A100", 8, Rate())
    assert (second.gpu_name, second.gpu_count) == ("RTX4090", 1)
    assert first.addresses[0].kind == "alias" and first.addresses[0].target.host == "train-a"
    assert "stop" in (first.allowed or ()) and "stop" not in (second.allowed or ())
    assert listing.instances[3].raw_state == "MELTED"


def test_an_object_with_clusters_is_a_list_too(make_sky: MakeSky) -> None:
    assert len(make_sky(json.dumps({"clusters": CLUSTERS[:1]})).list().instances) == 1
    assert make_sky("[]").list().instances == ()


@pytest.mark.parametrize(("out", "status"), [("", 0), ("No clusters", 0), ("[]", 1), ("[{", 0)])
def test_no_list_is_an_error(make_sky: MakeSky, out: str, status: int) -> None:
    with pytest.raises(ProviderError):
        make_sky(out, status).list()


def test_actions_never_purge(make_sky: MakeSky, tmp_path: Path) -> None:
    sky = make_sky("done")
    assert sky.stop("train-a").result == "accepted"
    assert sky.start("train-a").result == "accepted"
    assert sky.destroy("train-a").result == "accepted"
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls == ["stop -y train-a", "start -y train-a", "down -y train-a"]
    refused = make_sky("not supported", 1).stop("pod-b")
    assert refused.result == "refused" and "not supported" in refused.message
    for id in ("-a", "a b", "*"):
        with pytest.raises(ProviderError):
            sky.destroy(id)


def test_without_the_program_nothing_happens() -> None:
    with pytest.raises(ProviderError) as caught:
        SkyPilot("no-such-sky").list()
    assert caught.value.kind == "program"
    assert "sky" not in sys.modules


def test_its_logs_are_left_to_its_own_program(make_sky: MakeSky) -> None:
    with pytest.raises(ProviderError) as caught:
        make_sky("[]").logs("train-a")
    assert (caught.value.kind, caught.value.hint) == ("unsupported", "sky logs train-a")


def test_the_list_is_asked_of_the_clouds_and_not_of_a_cache(
    make_sky: MakeSky, tmp_path: Path
) -> None:
    make_sky(json.dumps(CLUSTERS[:1])).list()
    assert (tmp_path / "calls").read_text() == "status --refresh -o json\n"


@pytest.mark.parametrize("cloud", ["RunPod", "Lambda", "Kubernetes"])
def test_what_cannot_be_stopped_there_is_never_stopped(make_sky: MakeSky, cloud: str) -> None:
    row = {"name": "a", "status": "UP", "cloud": cloud}
    (one,) = make_sky(json.dumps([row])).list().instances
    assert one.keeps.can_stop is False and "stop" not in (one.allowed or ())
