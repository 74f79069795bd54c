"""Everything that belongs to one training: from the launcher at its top to the last worker."""

from __future__ import annotations

import os
from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple

from tui.onbox.end_signs import Gone, Run, is_launcher
from tui.onbox.end_table import (
    Process,
    Table,
    ancestors,
    command,
    descendants,
    ignores_interrupt,
    names,
    owner,
    process,
    table,
)
from tui.onbox.places import Refused

_SHELLS = "sh bash dash zsh ash ksh fish nohup setsid env time nice stdbuf"
SHELLS = frozenset(_SHELLS.split())
KERNELS = ("ipykernel", "colab_kernel")
"""Programs that train when a person tells them to, and hold more than the training."""

STRANGERS = (
    *(*KERNELS, "jupyter", "notebook", "code-server", "supervis", "boxtop", "pytest", "runpod"),
    *("gunicorn", "uvicorn", "celery", "raylet", "airflow", "prefect", "dagster"),
)
"""What people start trainings from, and what goes on when a training has ended."""

_SERVICES = frozenset(["agent", "daemon", "server", "handler"])

MAX_MEMBERS = 1000
"""More do not fit into one reply, and no training has them."""


class Member(NamedTuple):
    """A process of a training, named by pid and start so that no later one is taken for it."""

    pid: int
    start: int


Members = Dict[int, int]
"""Starts by pid."""


class Tree(NamedTuple):
    """A training's processes: ``top`` is told to end first, ``training`` writes the status.

    ``kernel`` says that the training runs inside a program that is more than it: a notebook.
    ``orphans`` says that the training itself has ended, and ``members`` are what it left.
    """

    top: Process
    training: Process
    members: Members
    kernel: bool = False
    orphans: bool = False


def find(run: Run, known: Members) -> Tree:
    """Find a run's training and all that belongs to it. Raises Gone, Refused.

    ``known`` are processes that belonged to it when it was ended before.
    """
    try:
        training = run.process()
    except Gone as gone:
        return _orphans(run, known, gone)
    processes = table()
    ours = ancestors(os.getpid(), processes)
    if training.pid in ours:
        raise Refused("refused", "process %d is what boxtop itself runs in" % training.pid)
    kernel = _is_one_of(KERNELS, training.pid)
    highest = training.pid if kernel else _top(run, training, processes, ours)
    top = processes.get(highest, training)
    members: Members = {top.pid: top.start}
    grow(members, processes)
    return Tree(top, training, members, kernel)


def _orphans(run: Run, known: Members, gone: Gone) -> Tree:
    """Find what a training left that has ended: who still holds its files open, or was known.

    Raises Gone when there are none.
    """
    processes = table()
    process_of_run = processes.get(run.pid)
    ours = ancestors(os.getpid(), processes)
    before = [one for one in alive(known, processes) if is_launcher(names(one.pid))]
    found = [one for one in {*run.writers(processes), *before} if one.pid not in ours]
    if not found or (process_of_run is not None and process_of_run.alive):
        raise gone
    members: Members = {one.pid: one.start for one in found}
    grow(members, processes)
    return Tree(min(found), min(found), members, orphans=True)


def grow(members: Members, processes: Table) -> None:
    """Take in what members have started since, also in sessions and groups of their own.

    A worker whose parent has died hangs below pid 1; the session that a member began still has it.
    """
    ours = ancestors(os.getpid(), processes)
    while True:
        living = [one for one in processes.values() if members.get(one.pid) == one.start]
        groups = {one.group for one in living if one.group in members}
        sessions = {one.session for one in living if one.session in members}
        found: Set[int] = set()
        for one in living:
            found.update(descendants(one.pid, processes))
        for other in processes.values():
            if other.group in groups or other.session in sessions:
                found.add(other.pid)
        new = [pid for pid in found - ours if members.get(pid) != processes[pid].start and pid > 1]
        room = MAX_MEMBERS - len(members)
        if not new or room <= 0:
            return
        for pid in sorted(new)[:room]:
            members[pid] = processes[pid].start


def alive(members: Members, processes: Table) -> List[Process]:
    """Return the members that have not ended, in the order of their pids."""
    found = [one for one in processes.values() if members.get(one.pid) == one.start and one.alive]
    return sorted(found)


def described(one: Process) -> Dict[str, Any]:
    """Return what is told of a process; None for what cannot be read."""
    return {
        "pid": one.pid,
        "start": one.start,
        "parent": one.parent,
        "group": one.group,
        "session": one.session,
        "state": one.letter,
        "command": command(one.pid),
        "ignores": ignores_interrupt(one.pid),
    }


def told(values: object) -> Members:
    """Return the members that a request names. Raises Refused("usage")."""
    if not isinstance(values, list) or len(values) > MAX_MEMBERS:
        raise Refused("usage", "the request names no processes")
    found: Members = {}
    for pair in values:
        if not isinstance(pair, list) or [type(one) for one in pair] != [int, int]:
            raise Refused("usage", "a process is named by pid and start")
        if not 1 < pair[0] < 1 << 31:
            raise Refused("refused", "process %d is never signalled" % pair[0])
        found[pair[0]] = pair[1]
    return found


def current(member: Member) -> Optional[Process]:
    """Return a member as it is now, None when it has ended or its pid is another's."""
    found = process(member.pid)
    return found if found is not None and found.start == member.start and found.alive else None


def _top(run: Run, training: Process, processes: Table, ours: Set[int]) -> int:
    """Climb from a training to its topmost ancestor that still belongs to it alone.

    Shells between two launchers are passed over. Pid 1, what boxtop runs in, what another user
    runs, and what trains other runs too never belong to a training.
    """
    highest, user = training.pid, owner(training.pid)
    at = training.parent
    while at > 1 and at in processes and at not in ours and owner(at) == user:
        called = names(at)
        if _is_one_of(STRANGERS, at) or _is_service(called):
            break
        if is_launcher(called):
            if any(run.writes_another(pid) for pid in descendants(at, processes)):
                break
            highest = at
        elif called[0] not in SHELLS:
            break
        at = processes[at].parent
    return highest


def _is_one_of(words: Tuple[str, ...], pid: int) -> bool:
    return any(word in name for name in names(pid) for word in words)


def _is_service(called: List[str]) -> bool:
    return any(name.partition(".")[0] in _SERVICES for name in called)
