"""The gate over a real sshd and a Hub on loopback, from a push to what its proof is worth."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.conftest import MakeServer, introduce, trust
from tests.hub import hub_fixture  # noqa: F401
from tests.hub.server import Hub
from tests.links.person import Person
from tests.onbox.checkpoints import checkpoint, make_weights, put, write_status
from tui.actions.cancel import Cancel
from tui.actions.gate import Judgement, judge
from tui.actions.gate_eyes import BoxEyes
from tui.actions.gate_gather import gather
from tui.actions.hub_names import Destination
from tui.actions.hub_remote import RemoteHub
from tui.actions.hub_token import Token
from tui.actions.push_plan import PushPlan
from tui.actions.saving import Saving
from tui.actions.shell import SshShell
from tui.actions.snapshot import Rules
from tui.runs.model import Run
from tui.runs.proofs import ProofFile
from tui.view import BoxView, LinkView, RunView

BEST, LAST, NEXT = (checkpoint(400_000, seed) for seed in (1, 2, 3))
RULES = Rules(settle=0.05, patience=3.0, spare=0)


@pytest.mark.sshd
def test_from_a_push_to_what_its_proof_is_worth(
    make_sshd: MakeServer, home: Path, hub: Hub, tmp_path: Path
) -> None:
    server = make_sshd(environment={"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"})
    introduce(server, home)
    trust(server, home)
    root = tmp_path / "runs"
    path = make_weights(root / "run1", best=BEST, last=LAST)
    write_status(path, state="completed", pid=None, completed_epochs=9, start_epoch=1)
    run = Run(id="run1", path=str(path), reported_state="completed", epoch=9)
    shell = SshShell(server.target, Person())
    proofs = ProofFile(tmp_path / "proofs.jsonl")
    token = Token(hub.token, "HF_TOKEN")
    remote = RemoteHub(token, hub.url)

    def judged() -> Judgement:
        view = BoxView("lab", "lab", LinkView("live"), (RunView(run, None, None, None),))  # type: ignore[arg-type]
        eyes = BoxEyes(shell, lambda: view, lambda _: proofs, [str(root)], remote.listing)
        return judge(gather("lab", eyes), "destroy")

    assert [one.kind for one in judged().refusals] == ["unsaved", "unsaved"]
    place = Destination("my-org/my-run")
    saving = Saving(shell, lambda _: proofs, rules=RULES)
    names = ("best.pt", "last.pt")
    saving.push(token, PushPlan("lab", run, names, place, "box"), lambda _: None, Cancel())
    passed = judged()
    assert passed.passes, passed.refusals
    assert {one.where.split("/")[2] for one in passed.proven} == {"my-org"}

    put(path / "weights" / "last.pt", NEXT)
    (refused,) = judged().refusals
    assert refused.file == "last.pt" and "saved copy" in refused.text
    put(path / "weights" / "last.pt", LAST)
    assert judged().passes

    hub.store.repos.clear()
    texts = [one.text for one in judged().refusals]
    assert len(texts) == 2 and all("does not count" in text for text in texts)
    remote = RemoteHub(token, "http://127.0.0.1:9")
    texts = [one.text for one in judged().refusals]
    assert len(texts) == 2 and all("does not count" in text for text in texts)
    saving.close()
