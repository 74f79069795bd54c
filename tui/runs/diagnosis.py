"""Why a run ended or hangs, read from its logs' last lines and the facts of its box."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice

import msgspec

from tui.facts import Disk
from tui.runs.causes import CAUSES, FEWER_WORKERS, FREE_DISK, MORE_MEMORY, Cause
from tui.runs.disk import disk_full_text
from tui.runs.evidence import Evidence
from tui.runs.files import CONSOLE, LOG, STATUS
from tui.runs.model import Diagnosis, RunError
from tui.runs.tracebacks import Traceback, last_traceback
from tui.runs.words import size_text, used_percent
from tui.text import said

INTERRUPT = "KeyboardInterrupt"

_LINES_READ = 400
_PROGRESS = re.compile(
    r"\| INFO +\| (?:Epoch \d+ - Average loss|Starting training for|Resumed from)"
)
_ALLOCATION = re.compile(r"[Tt]ried to allocate ([\d.]+ [KMGT]i?B)")
_CAPACITY = re.compile(
    r"total capacity of ([\d.]+ [KMGT]i?B) of which ([\d.]+ [KMGT]i?B) is free"
    r"|([\d.]+ [KMGT]i?B) total capacity;.*?([\d.]+ [KMGT]i?B) free"
)

SMALL_SHM_BYTES = 2 * 1024**3
"""Docker gives 64 MiB; a training with several workers fills some hundred."""


class _Account(msgspec.Struct, frozen=True):
    """What one source tells of the end: its last lines and the traceback among them."""

    source: str
    text: str
    traceback: Traceback | None

    def find(self) -> tuple[int, str] | None:
        """The place in the table of the first cause it tells, and the line that tells it."""
        return _first_cause(self.text, "\n".join(self.traceback.lines) if self.traceback else "")


@lru_cache(maxsize=64)
def _first_cause(text: str, traceback: str) -> tuple[int, str] | None:
    """Search the whole table; cached, for an ended run is asked again every second."""
    for index, cause in enumerate(CAUSES):
        searched = text if cause.anywhere else traceback
        found = cause.search(searched)
        if found:
            start = searched.rfind("\n", 0, found.start()) + 1
            return index, searched[start:].partition("\n")[0].strip()
    return None


def diagnose(evidence: Evidence, error: RunError | None, *, ended: bool) -> Diagnosis | None:
    """Say why a run ended or hangs; None when nothing tells.

    ``error`` is what status.json holds; ``ended`` is False for a run that still has a process. Only
    what the logs say after the last finished epoch counts: older troubles were survived.
    """
    accounts = [a for a in _accounts(evidence, error) if _may_be_of(a, error)]
    full = disk_full_text(evidence.disk)
    if full and not ended:
        return Diagnosis("disk_full", full, FREE_DISK)
    interrupted = next((a for a in accounts if _error_of(a) == INTERRUPT), None)
    if interrupted:
        return Diagnosis("interrupted", "interrupted (Ctrl-C)", None, (), interrupted.source)
    hits = [(hit, account) for account in accounts if (hit := account.find()) is not None]
    if hits:
        (index, line), account = min(hits, key=lambda hit: hit[0][0])
        return _known(CAUSES[index], account, line, evidence)
    told = next((a for a in accounts if a.traceback), None)
    if told and told.traceback:
        summary = said(told.traceback.error)
        return Diagnosis("exception", summary, None, told.traceback.lines, told.source)
    if ended and evidence.oom_kills:
        return Diagnosis("killed_by_oom", _oom_text(evidence.oom_kills), MORE_MEMORY)
    return Diagnosis("disk_full", full, FREE_DISK) if full else None


def _accounts(evidence: Evidence, error: RunError | None) -> list[_Account]:
    console = evidence.console_path or CONSOLE
    accounts = [
        _account(console, evidence.console.lines),
        _account(f"{evidence.path}/{LOG}", evidence.log.lines),
    ]
    if error:
        line = f"{error.type or 'error'}: {error.message or ''}".removesuffix(": ")
        accounts.append(_Account(f"{evidence.path}/{STATUS}", line, None))
    return accounts


def _account(source: str, lines: Sequence[str]) -> _Account:
    """Take the lines after the last finished epoch, at most the last few hundred."""
    newest: list[str] = []
    for line in islice(reversed(lines), _LINES_READ):
        if _PROGRESS.search(line):
            break
        newest.append(line)
    newest.reverse()
    return _Account(said(source), "\n".join(newest), last_traceback(newest))


def _may_be_of(account: _Account, error: RunError | None) -> bool:
    """Whether an account can be of this end: one with a traceback names the status's error too.

    A console log is found by what is likely, and may be another program's.
    """
    told = _error_of(account)
    if told in (None, INTERRUPT) or error is None or not error.type:
        return True
    return error.type.rpartition(".")[2] in account.text


def _error_of(account: _Account) -> str | None:
    return account.traceback.error.strip().rstrip(":") if account.traceback else None


def _known(cause: Cause, account: _Account, line: str, evidence: Evidence) -> Diagnosis:
    """Word a known cause with the figures that the log and the box add."""
    kind, hint, summary = cause.kind, cause.hint, cause.summary
    excerpt = account.traceback.lines if account.traceback else (line,)
    match kind:
        case "gpu_out_of_memory":
            summary = _gpu_memory_text(account.text)
        case "shared_memory":
            summary = shared_memory_text(evidence.shm) or cause.summary
        case "data_loader" if shared_memory_text(evidence.shm, only_full=True):
            kind, hint = "shared_memory", FEWER_WORKERS
            summary = shared_memory_text(evidence.shm)
        case "disk_full":
            summary = disk_full_text(evidence.disk) or cause.summary
        case "killed" | "killed_by_oom" if evidence.oom_kills:
            kind, hint = "killed_by_oom", MORE_MEMORY
            summary = _oom_text(evidence.oom_kills)
    return Diagnosis(kind, summary or said(line), hint, excerpt, account.source)


def _gpu_memory_text(text: str) -> str:
    """``GPU out of memory (wanted 1.50 GiB, free 310 MiB of 23.64 GiB)``, as far as it is told."""
    wanted, capacity = _last(_ALLOCATION, text), _last(_CAPACITY, text)
    parts = []
    if wanted:
        parts.append(f"wanted {_short(wanted[1])}")
    if capacity:
        total, free = capacity[1] or capacity[3], capacity[2] or capacity[4]
        parts.append(f"free {_short(free)} of {_short(total)}")
    return f"GPU out of memory ({', '.join(parts)})" if parts else "GPU out of memory"


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return max(pattern.finditer(text), key=re.Match.start, default=None)


def _short(size: str) -> str:
    return size.replace(".00 ", " ")


def _oom_text(kills: int) -> str:
    return f"killed by the OOM killer (oom_kill {kills})"


def shared_memory_text(shm: Disk | None, *, only_full: bool = False) -> str | None:
    """``shared memory full (/dev/shm 64 MiB, 100 %)``; None when nothing speaks for either."""
    used = used_percent(shm.free, shm.total) if shm else None
    if shm is None or used is None:
        return None
    full, small = used >= 98, shm.total <= SMALL_SHM_BYTES
    if not full and (only_full or not small):
        return None
    word = "full" if full else "too small"
    size = size_text(shm.total).replace("B", "iB")
    return f"shared memory {word} (/dev/shm {size}, {used} %)"
