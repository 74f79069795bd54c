"""Whether the process that a status names lives, and whether it is still the training.

A pid is reused: after a restart of the container 4242 may be sshd. The start time decides where it
is known, the command line where it is not; a process that a status was written after is its writer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from tui.facts import Process
from tui.runs.words import rough_text
from tui.text import said

START_MARGIN_SECONDS = 60.0
"""``started_at`` has whole seconds and comes minutes after the start of the process; a box's clock
is set a little while it runs. A reused pid starts later than this."""

UNKNOWN_PROGRAM_SECONDS = 3600.0
"""A program of an unknown name is the training if it started at most this long before the run."""

_INTERPRETERS = re.compile(r"(python|pypy|ipython)[\d.]*[a-z]?$|pt_")
_TRAINING_WORDS = re.compile(r"train|yolo|finetune|fine-tune|torch|accelerate|deepspeed", re.I)
_LAUNCHER_NAMES = """
    uv uvx conda mamba micromamba poetry pdm hatch pixi nohup setsid env time nice taskset numactl
    stdbuf srun mpirun mpiexec orterun
"""
_OTHER_NAMES = """
    sshd systemd init tini dumb-init runsv runsvdir supervisord jupyter jupyterhub tensorboard
    bash dash sh zsh fish csh tcsh ksh busybox tmux screen cron crond atd rsyslogd dbus-daemon
    agetty getty login su sudo nginx apache2 httpd redis-server postgres mysqld mongod dockerd
    containerd runc node npm java ssh scp sftp-server rsync tail cat less top htop nvtop vim vi
    nano nvidia-smi nvidia-persistenced sleep watch wget curl git tar unzip gzip pip pip3 apt
    apt-get dpkg uvicorn gunicorn celery streamlit gradio code-server caddy kworker ksoftirqd
    migration fail2ban-server
"""
_LAUNCHERS = frozenset(_LAUNCHER_NAMES.split())
_OTHERS = frozenset(_OTHER_NAMES.split())
_OTHER_FAMILIES = ("sshd-", "systemd-", "s6-", "jupyter-", "containerd-shim")
"""Programs that a reused pid is often found to be, and that never train."""


@dataclass(frozen=True, slots=True)
class Liveness:
    """``alive`` is None where nobody could look; ``reason`` says why it is False."""

    alive: bool | None
    reason: str | None = None


def judge_process(
    process: Process | None, started_at: float | None, updated_at: float | None, now: float
) -> Liveness:
    """Judge the process of a run that began at ``started_at`` and last wrote at ``updated_at``."""
    if process is None or process.state == "unreadable":
        return Liveness(None)
    if process.state == "gone":
        return Liveness(False, f"pid {process.pid} is gone")
    if process.state == "zombie":
        return Liveness(False, f"pid {process.pid} is a zombie: it ended and nobody reaped it")
    if _is_training(process, started_at, updated_at):
        return Liveness(True)
    return Liveness(False, _reused_text(process, started_at, now))


def _is_training(process: Process, started_at: float | None, updated_at: float | None) -> bool:
    kind = _kind(process.command)
    if kind == "other":
        return False
    if process.started_at is None or started_at is None:
        return kind != "unknown"
    if process.started_at <= started_at + START_MARGIN_SECONDS:
        return kind != "unknown" or process.started_at >= started_at - UNKNOWN_PROGRAM_SECONDS
    # The box's clock may have been set since: who wrote the status after the start is its writer.
    return kind == "training" and updated_at is not None and updated_at > process.started_at


def _kind(command: str) -> str:
    """``training``, ``other``, ``unknown``, or ``empty`` for a process without a command line."""
    words = command.split()
    if not words:
        return "empty"
    name = _name(words[0])
    if _is_other(name):
        return "other"
    if _INTERPRETERS.match(name):
        script = next((word for word in words[1:] if not word.startswith("-")), "")
        return "other" if _is_other(_name(script)) else "training"
    if name in _LAUNCHERS or any(_TRAINING_WORDS.search(word) for word in words):
        return "training"
    return "training" if any(word.endswith(".py") for word in words) else "unknown"


def _is_other(name: str) -> bool:
    """Whether a name is that of a program that never trains: ``sshd``, ``tensorboard.main``."""
    return name.partition(".")[0] in _OTHERS or name.startswith(_OTHER_FAMILIES)


def _name(word: str) -> str:
    """The program's name in a command's word: ``/usr/sbin/sshd:`` is sshd."""
    if word.startswith("["):  # a kernel thread, or a process without a command line
        return word.strip("[]").partition("/")[0]
    return PurePosixPath(word.rstrip(":")).name.removeprefix("-").removesuffix(".py")


def _reused_text(process: Process, started_at: float | None, now: float) -> str:
    words = process.command.split()
    program = said(_name(words[0]) if words else "another program", 60)
    line = f"pid {process.pid} now belongs to {program}"
    if process.started_at is None:
        return line
    ages = f"started {rough_text(now - process.started_at)} ago"
    if started_at is not None:
        ages += f", run started {rough_text(now - started_at)} ago"
    return f"{line} ({ages})"
