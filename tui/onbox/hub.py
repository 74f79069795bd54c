"""The program that talks to the Hugging Face Hub, on the box or here: Python >= 3.8.

One JSON line comes in, marked lines of JSON go out. The token is in that line and nowhere else:
not in argv, environment, files or replies. The client is this python's, or one that ``install`` put
into ``~/.cache/boxtop/packages``, or that of another python: one of ``pythons`` in the request, or
what trains here. Operations, and their replies:

``check``    token, repo, endpoint?, timeout_s?             -> ``check``
``push``     token, repo, files, job?, message?, description?, private?, allow_public?, cleanup?,
             disable_xet?, endpoint?, stall_s?, limit_s?, limits_s?, patience_s?, tick_s?,
             look_every_s?, memory?, note?
             -> ``started``, ``progress`` ..., ``result``; the upload goes on when we are gone
``attach``   job                                            -> ``progress`` ..., ``result``
``jobs``                                                    -> ``jobs``
``cancel``   job                                            -> ``result``
``forget``   job                                            -> ``forgotten``
``install``                                                 -> ``installed``

``marker`` and ``id`` come with each. ``files`` is ``[{path_in_repo, local_path, size, sha256}]``,
or ``{path_in_repo, text}`` for a small file that lies nowhere yet; ``identity`` (as ``places`` has
it) comes with one that is read in place, and has to be the same to the end. ``cleanup`` is a
directory with a snapshot: the uploader is its owner before ``started`` is told, and removes it at
its end; the program does so when no upload can begin. ``memory`` is a home that was made for this
push alone: it goes with an upload that nobody follows to its end. ``note`` is what ``hub_note``
writes beside the run when all is proven.
What fails is ``error``, with the facts of ``hub_facts``; a push that fails has them in its result.
The last reply to a request is ``{"re": id, "done": {kind: ...}}``, those before have no ``done``.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
import time

from tui.onbox import hub_client
from tui.onbox.hub_account import check
from tui.onbox.hub_detach import begin
from tui.onbox.hub_elsewhere import elsewhere, go_on, here
from tui.onbox.hub_facts import Problem, error_facts
from tui.onbox.hub_follow import BEAT_SECONDS, cancel, follow, forget, jobs
from tui.onbox.hub_install import install
from tui.onbox.hub_jobs import Job, clean_up, pushes_directory
from tui.onbox.hub_meter import Meter, with_data
from tui.onbox.hub_wire import Wire
from tui.onbox.owners import owner_of

CHECK_SECONDS = 60.0


def main(line: bytes) -> None:
    """Do what one request line asks for; errors are replies, the exit code says nothing."""
    try:
        request = json.loads(line.decode("utf-8"))
        marker = str(request["marker"])
    except (ValueError, KeyError, TypeError):
        sys.exit(2)
    token = request.get("token")
    wire = Wire(marker, (token,) if isinstance(token, str) else (), request.get("id"))
    stage = str(request.get("op"))
    try:
        wire.hello()
        if request.get("op") in ("check", "push") and not request.get("moved"):
            _find_client(request, wire)
        _operation(request, wire)
    except (BrokenPipeError, ConnectionError, KeyboardInterrupt):
        sys.exit(0)
    except Exception as error:  # noqa: BLE001 - the answer to the request, whatever it was
        wire.done("error", error_facts(error, stage, wire.secrets))


def _operation(request: dict[str, object], wire: Wire) -> None:
    operation = request.get("op")
    if operation == "check":
        _check(request, wire)
    elif operation == "push":
        _push(request, wire)
    elif operation == "attach":
        follow(_job(request), wire)
    elif operation == "jobs":
        wire.done("jobs", jobs())
    elif operation == "cancel":
        wire.done("result", cancel(_job(request)))
    elif operation == "forget":
        wire.done("forgotten", forget(_job(request)))
    elif operation == "install":
        wire.done("installed", install(wire.beat))
    else:
        raise Problem("BadRequest", f"no such operation: {operation!r}")


def _find_client(request: dict[str, object], wire: Wire) -> None:
    """Go on in a python that has the client, when this one has none and there is another."""
    if here():
        return
    named = request.get("pythons")
    python = elsewhere([str(one) for one in named] if isinstance(named, list) else [], wire.beat)
    if python is not None:
        go_on(python, json.dumps({**request, "moved": True}).encode("ascii"))


def _check(request: dict[str, object], wire: Wire) -> None:
    """Ask the Hub; one that never answers is answered for after ``timeout_s``.

    The client is given a home that is not there: questions need none, and none can be left behind.
    """
    endpoint = request.get("endpoint")
    endpoint = endpoint if isinstance(endpoint, str) and endpoint else None
    token, repo = _token(request), _needed(request, "repo")
    home = str(pushes_directory().with_name("check-" + os.urandom(8).hex()))
    hub_client.prepare(endpoint, bool(request.get("disable_xet")), home)
    reply: list[tuple[str, object]] = []

    def ask() -> None:
        try:
            api = hub_client.load(endpoint, token)
            hub_client.listen(Meter(0), 0.0)
            reply.append(("check", check(api, repo)))
        except Exception as error:  # noqa: BLE001 - it is the reply
            reply.append(("error", error_facts(error, "check", wire.secrets)))

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    seconds = request.get("timeout_s")
    try:
        _wait(thread, wire, seconds if isinstance(seconds, (int, float)) else CHECK_SECONDS)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    if not reply:
        problem = Problem("Timeout", "no answer from the Hub")
        wire.done("error", error_facts(problem, "check", wire.secrets))
        os._exit(0)  # the thread that hangs would be waited for
    wire.done(*reply[0])


def _wait(thread: threading.Thread, wire: Wire, seconds: float) -> None:
    """Wait for a thread for so long, with signs of life."""
    deadline = time.monotonic() + seconds
    while thread.is_alive() and time.monotonic() < deadline:
        thread.join(min(BEAT_SECONDS, max(0.0, deadline - time.monotonic())))
        if thread.is_alive():
            wire.beat()


def _push(request: dict[str, object], wire: Wire) -> None:
    """Start the uploader and follow it."""
    request = {**request, "token": _token(request)}
    files = request.get("files")
    if not isinstance(files, list) or not files:
        raise Problem("BadRequest", "no files to push")
    for file in files:
        needed = {"text"} if "text" in file else {"local_path", "size", "sha256"}
        if not needed | {"path_in_repo"} <= set(file):
            raise Problem("BadRequest", "a file lacks what must be known of it")
    job = Job(str(request.get("job") or os.urandom(8).hex()))
    known = ("repo", "message", "cleanup", "private", "disable_xet")
    document = {name: request.get(name) for name in known}
    told = ("path_in_repo", "size", "sha256")
    document["files"] = [{name: file.get(name) for name in told} for file in files]
    document["repo"] = _needed(request, "repo")
    try:
        job.create(document)
        try:
            files = [with_data(file) for file in files]
            begin(job, {**request, "files": files, "follower": owner_of()})
        except BaseException:
            job.remove()
            raise
    except BaseException:
        clean_up(request.get("cleanup"))  # nobody else would: there is no upload
        raise
    started = {"job": job.name, "directory": str(job.directory), "pid": job.uploader()}
    wire.send("started", started)
    follow(job, wire)


def _job(request: dict[str, object]) -> Job:
    return Job(_needed(request, "job"))


def _token(request: dict[str, object]) -> str:
    return _needed(request, "token").strip()


def _needed(request: dict[str, object], name: str) -> str:
    value = request.get(name)
    if not isinstance(value, str) or not value:
        raise Problem("BadRequest", f"the request lacks {name}")
    return value


if __name__ == "__main__":
    main(sys.stdin.buffer.readline())
