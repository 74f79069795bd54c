"""The uploader: one commit with all files, then what the Hub lists of them, in a job directory."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from tui.onbox import hub_client
from tui.onbox.hub_account import look_at
from tui.onbox.hub_facts import Problem, chain_of, error_facts
from tui.onbox.hub_jobs import Job, clean_memory, clean_up, take_over
from tui.onbox.hub_listing import differing, find_commit, listing
from tui.onbox.hub_meter import Meter, check_files, check_in_place
from tui.onbox.hub_note import add_note
from tui.onbox.hub_wire import redacted
from tui.onbox.owners import lives

if TYPE_CHECKING:
    from huggingface_hub import HfApi

TICK_SECONDS = 0.5
STALL_SECONDS = 300.0
LIMIT_SECONDS = 900.0
PATIENCE_SECONDS = 900.0
LOOKS = 3
LOOK_SECONDS = 3.0
OWN_SECONDS = 600.0


class Uploader:
    """One push in this process. ``run`` never returns: the process ends with its result."""

    def __init__(self, job: Job, request: dict[str, object]) -> None:
        self.job, self.request = job, request
        self.repo = str(request["repo"])
        self.files: list[dict[str, object]] = list(request["files"])  # type: ignore[call-overload]
        self.token = str(request["token"])
        self.meter = Meter(sum(int(str(file["size"])) for file in self.files))
        self.home = job.directory / "home"
        self.pushed: list[dict[str, object]] = []
        self.private: object = None
        self.commit: str | None = None
        self.api: HfApi | None = None
        self.sending = False
        """Whether a commit may have been asked for, with no answer yet."""
        self.meter.entered = self._write_progress
        self._ending = threading.Lock()
        self._deciding = threading.Lock()
        self._writing = threading.Lock()

    def run(self) -> None:
        """Push, write the result, and end this process."""
        watch = threading.Thread(target=self._watch, name="watch", daemon=True)
        watch.start()
        try:
            result = self._push()
        except BaseException as error:  # noqa: BLE001 - whatever it was, it is the result
            result = self._failed(error)
        self.end(result)

    def end(self, result: dict[str, object]) -> None:
        """Write the result, clean up, and leave; the first of two threads wins."""
        self._ending.acquire()  # noqa: SIM115, RUF100 - kept: the process is about to end
        try:
            clean_up(self.request.get("cleanup"))
            shutil.rmtree(str(self.home), ignore_errors=True)
            self._write_progress()
            if result.get("ok") is True:
                with suppress(Exception):  # nobody believes it without asking the Hub
                    add_note(self.request.get("note"), self.repo, self.commit)
            self.job.write("result", result, (self.token,))
            if lives(self.request.get("follower")) is False:
                clean_memory(self.request.get("memory"))
        finally:
            os._exit(0)

    def _push(self) -> dict[str, object]:
        endpoint = self.request.get("endpoint")
        slow = bool(self.request.get("disable_xet"))
        hub_client.prepare(_text(endpoint), slow, str(self.home), counted=True)
        self.api = api = hub_client.load(_text(endpoint), self.token)
        hub_client.listen(self.meter, self._seconds("patience_s", PATIENCE_SECONDS))
        hub_client.count_xet(self.meter)
        self._prepare_repo(api)
        self.pushed = check_files(self.files, self.meter)
        self._commit(api)
        self.meter.enter("verifying")
        return self._proven(self._listed(api), found=False)

    def _prepare_repo(self, api: HfApi) -> None:
        """Find or create the repository.

        One that is public already is only used when that was agreed to, and none becomes public
        that was to be private.
        """
        found = look_at(api, self.repo)
        agreed = bool(self.request.get("allow_public"))
        if not found["exists"]:
            found = self._create_repo(api)
            agreed = agreed or self.request.get("private", True) is False
        self.private = found["private"]
        if self.private is False and not agreed:
            raise Problem("Public", f"{self.repo} is public")

    def _create_repo(self, api: HfApi) -> dict[str, object]:
        """Create it; when that is refused it may be there all the same (403, 409): look again."""
        private = bool(self.request.get("private", True))
        try:
            api.create_repo(self.repo, private=private)
        except Exception:
            again = look_at(api, self.repo)
            if not again["exists"]:
                raise
            return again
        return look_at(api, self.repo)

    def _commit(self, api: HfApi) -> None:
        """Upload what is large, then commit everything at once.

        What was read where it lies has to be the same once its bytes are sent.
        """
        self.meter.enter("uploading")
        operations = hub_client.additions(self.files, self.meter)
        if hub_client.uploads_first(api):
            api.preupload_lfs_files(self.repo, operations, free_memory=False)
            self.meter.enter("committing")
        check_in_place(self.files)
        message = str(self.request.get("message") or "Upload weights")
        more = _text(self.request.get("description"))
        with self._deciding:  # who gives up meanwhile holds it to the end
            self.sending = True
        info = api.create_commit(
            self.repo, operations, commit_message=message, commit_description=more
        )
        self.sending = False
        if not hub_client.uploads_first(api):
            check_in_place(self.files)
        self.commit = getattr(info, "oid", None) or None
        self.sending = self.commit is None
        if self.commit is None:
            raise Problem("NoCommit", "the Hub's answer names no commit")

    def _listed(self, api: HfApi) -> list[dict[str, object]]:
        paths = [str(file["path"]) for file in self.pushed]
        for attempt in range(LOOKS):
            try:
                return listing(api, self.repo, paths, self.commit)
            except Exception:
                if attempt == LOOKS - 1:
                    raise
                time.sleep(self._seconds("look_every_s", LOOK_SECONDS))
        raise AssertionError("unreachable")

    def _proven(self, listed: list[dict[str, object]], found: bool) -> dict[str, object]:
        """Return the result of a push with a commit: well only if all is listed as it was here."""
        ended: dict[str, object] = {"listing": listed, "found": found, "way": self.meter.way}
        ended.update(hub_client.versions())
        wrong = differing(self.pushed, listed)
        if not wrong:
            return {"ok": True, **self._known(), **ended}
        error = error_facts(
            Problem("WrongHash", "listed otherwise: " + ", ".join(wrong)), "verifying"
        )
        return {"ok": False, **self._known(), **ended, "error": error, "landed": True}

    def _known(self) -> dict[str, object]:
        return {
            "job": self.job.name,
            "repo": self.repo,
            "private": self.private,
            "commit": self.commit,
            "files": self.pushed,
        }

    def _failed(self, error: BaseException) -> dict[str, object]:
        stage = self.meter.stage
        for one in chain_of(error):
            if isinstance(one, hub_client.Impatient):
                more = {"status": one.status, "retry_after": str(one.seconds)}
                error = Problem("Impatient", str(one), **more)
        if stage == "uploading":  # bytes that are no longer those announced break an upload too
            try:
                check_in_place(self.files)
            except Problem as changed:
                error = Problem(changed.kind, str(changed), **changed.more)
        facts = error_facts(error, stage, (self.token,))
        if self.sending and _may_have_landed(facts):
            return self._settled(facts)
        return {"ok": False, **self._known(), "error": facts, "landed": self.commit is not None}

    def _settled(self, facts: dict[str, object]) -> dict[str, object]:
        """Look whether a commit whose answer got lost is there; ``landed`` None: cannot be told."""
        failed = {"ok": False, **self._known(), "error": facts, "landed": None}
        if self.api is None:
            return failed
        paths = [str(file["path"]) for file in self.pushed]
        seen: set[str] = set()
        for attempt in range(LOOKS):
            try:
                found = find_commit(self.api, self.repo, paths, self._is_listed, seen)
            except Exception:  # noqa: BLE001 - then it stays unknown
                failed["landed"] = None
            else:
                if found is not None:
                    self.commit, listed = found
                    return self._proven(listed, found=True)
                failed["landed"] = False
            if attempt < LOOKS - 1:
                time.sleep(self._seconds("look_every_s", LOOK_SECONDS))
        return failed

    def _is_listed(self, listed: list[dict[str, object]]) -> bool:
        return not differing(self.pushed, listed)

    def _watch(self) -> None:
        """Write the progress; end the upload when it is told to, or when nothing moves any more."""
        owned = time.monotonic()
        while True:
            self._write_progress()
            if time.monotonic() - owned > OWN_SECONDS:
                owned = time.monotonic()
                with suppress(OSError):
                    take_over(self.request.get("cleanup"))
            if signal.SIGTERM in signal.sigpending():
                self._give_up(Problem("Cancelled", "the upload was cancelled"))
            if self.meter.idle() > self._limit():
                idle = round(self.meter.idle())
                self._give_up(Problem("Stalled", f"nothing moved for {idle} s", idle_s=idle))
            time.sleep(self._tick())

    def _give_up(self, problem: Problem) -> None:
        """End with this result. The look that may go before it can hang too: it gets a limit."""
        facts = error_facts(problem, self.meter.stage, (self.token,))
        known: dict[str, object] = {"ok": False, **self._known(), "error": facts, "landed": False}
        answer: list[dict[str, object]] = []
        self._deciding.acquire()  # noqa: SIM115, RUF100 - kept: no commit is asked for any more
        if self.sending:
            known["landed"] = None
            look = threading.Thread(target=lambda: answer.append(self._settled(facts)), daemon=True)
            look.start()
            look.join(self._seconds("look_s", 60.0))
        self.end(answer[0] if answer else known)

    def _write_progress(self) -> None:
        with self._writing:
            facts = self.meter.facts()
            idle = self.meter.idle()
            stalled = idle > self._seconds("stall_s", STALL_SECONDS)
            facts["stalled_s"] = round(idle, 1) if stalled else None
            facts["note"] = redacted(str(facts["note"]), (self.token,)) if facts["note"] else None
            with suppress(OSError):  # a full disk ends no upload
                self.job.write("progress", facts, (self.token,))

    def _limit(self) -> float:
        """Return how long this stage may go without moving: ``limits_s`` may name some stages."""
        stages = self.request.get("limits_s")
        value = stages.get(self.meter.stage) if isinstance(stages, dict) else None
        usual = self._seconds("limit_s", LIMIT_SECONDS)
        return float(value) if isinstance(value, (int, float)) else usual

    def _tick(self) -> float:
        return self._seconds("tick_s", TICK_SECONDS)

    def _seconds(self, name: str, usual: float) -> float:
        value = self.request.get(name)
        return float(value) if isinstance(value, (int, float)) else usual


def _may_have_landed(facts: dict[str, object]) -> bool:
    """Whether a failed commit request may have done its work: no answer, or a server's fault."""
    status = facts["status"]
    return not isinstance(status, int) or status >= 500 or status == 408


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
