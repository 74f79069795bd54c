"""Why a run ended, read from its logs: the cause by name, the hint, and the log it is from."""

from __future__ import annotations

import pytest

from tests.runs.build import CASES, RECORDINGS, alive, evidence, gone, log, status
from tui.facts import Disk
from tui.runs.diagnosis import diagnose
from tui.runs.evidence import Evidence
from tui.runs.model import Diagnosis, RunError
from tui.runs.tracebacks import last_traceback

TRACE = 'Traceback (most recent call last):\n  File "/opt/x/t.py", line 3, in step\n    go()\n'


def told(console: str, **overrides: object) -> Diagnosis:
    found = diagnose(
        evidence(console=log(console), console_path="/root/train.log", **overrides),
        None,
        ended=True,
    )
    assert found is not None
    return found


def test_gpu_memory_is_not_the_oom_killer() -> None:
    at = evidence(CASES / "RUN-13", oom_kills=3)
    found = diagnose(at, None, ended=True)
    assert found is not None
    assert found.kind == "gpu_out_of_memory"
    assert found.summary == "GPU out of memory (wanted 1.50 GiB, free 310 MiB of 23.64 GiB)"
    assert found.hint is not None
    assert "batch=-1" in found.hint
    assert "smaller" in found.hint
    assert "OOM killer" not in str(found)
    assert found.source == "/root/train.log"


def test_gpu_memory_in_the_words_of_older_releases_and_of_the_status() -> None:
    older = (
        "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 23.64 GiB total "
        "capacity; 21.00 GiB already allocated; 310.00 MiB free; 22.00 GiB reserved)\n"
    )
    assert told(TRACE + older).summary == (
        "GPU out of memory (wanted 2 GiB, free 310 MiB of 23.64 GiB)"
    )
    error = RunError("OutOfMemoryError", "CUDA out of memory. Tried to allocate 2.00 GiB")
    found = diagnose(evidence(), error, ended=True)
    assert found is not None
    assert found.summary == "GPU out of memory (wanted 2 GiB)"
    assert found.source == "/root/runs/run1/status.json"
    assert told(TRACE + "torch.OutOfMemoryError: no figures\n").summary == "GPU out of memory"


def test_shared_memory() -> None:
    found = diagnose(evidence(CASES / "RUN-15"), None, ended=True)
    assert found is not None
    assert found.kind == "shared_memory"
    assert found.summary == "shared memory full (/dev/shm 64 MiB, 100 %)"
    assert found.hint is not None
    assert "fewer workers" in found.hint
    assert "larger /dev/shm" in found.hint
    roomy = Disk("/dev/shm", 60 * 2**20, 64 * 2**20)
    line = "RuntimeError: DataLoader worker (pid 325) is killed by signal: Bus error.\n"
    assert told(line, shm=roomy).summary == "shared memory too small (/dev/shm 64 MiB, 7 %)"
    large = Disk("/dev/shm", 25 * 1024**3, 25 * 1024**3)
    assert told(line, shm=large).summary == "shared memory full or too small"
    assert told(line).summary == "shared memory full or too small"


def test_the_kernels_kill_is_told_from_an_unknown_one() -> None:
    found = diagnose(evidence(CASES / "RUN-01"), None, ended=True)
    assert found is not None
    assert found.kind == "killed_by_oom"
    assert found.summary == "killed by the OOM killer (oom_kill 1)"
    unknown = told("Epoch 13/100: loading\nKilled\n")
    assert (unknown.kind, unknown.summary) == ("killed", "killed, reason unknown")
    silent = diagnose(evidence(oom_kills=2), None, ended=True)
    assert silent is not None
    assert silent.summary == "killed by the OOM killer (oom_kill 2)"
    assert diagnose(evidence(oom_kills=0), None, ended=True) is None
    assert diagnose(evidence(), None, ended=True) is None


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ("OSError: [Errno 28] No space left on device\n", "disk_full"),
        (
            "RuntimeError: PytorchStreamWriter failed writing file: No space left on device\n",
            "disk_full",
        ),
        ("OSError: [Errno 122] Disk quota exceeded\n", "disk_quota"),
        ("OSError: [Errno 28] No space left on device: '/dev/shm/torch_1'\n", "shared_memory"),
        ("RuntimeError: unable to write to file </torch_77_1>\n", "shared_memory"),
        ("RuntimeError: DataLoader worker (pid 9) is killed by signal: Killed.\n", "killed_by_oom"),
        ("MemoryError\n", "killed_by_oom"),
        ("RuntimeError: CUDA error: device-side assert triggered\n", "cuda_assert"),
        (
            "RuntimeError: CUDA error: an illegal memory access was encountered\n",
            "cuda_memory_access",
        ),
        ("RuntimeError: CUDA error: out of memory\n", "gpu_out_of_memory"),
        ("RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:1\n", "nccl"),
        ("RuntimeError: Found no NVIDIA driver on your system.\n", "gpu_driver"),
        ("RuntimeError: CUDA error: no kernel image is available for execution\n", "gpu_driver"),
        ("Unable to determine the device handle for GPU0000:01:00.0: Unknown Error\n", "gpu_lost"),
        ("OSError: [Errno 24] Too many open files\n", "too_many_files"),
        ("ModuleNotFoundError: No module named 'faster_coco_eval'\n", "module_missing"),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'coco.yaml'\n", "file_missing"),
        ("FileNotFoundError: Dataset images not found, missing path /d/val\n", "file_missing"),
        ("PermissionError: [Errno 13] Permission denied: '/root/runs'\n", "permission"),
        ("FloatingPointError: loss is nan at step 12\n", "non_finite_loss"),
        ("urllib3.exceptions.MaxRetryError: HTTPSConnectionPool\n", "network"),
        ("RuntimeError: The server socket: Address already in use\n", "port_in_use"),
        ("ZeroDivisionError: division by zero\n", "exception"),
        ("libreyolo.errors.DataError: [bold]odd[/bold]\n", "exception"),
    ],
)
def test_causes_are_known_by_their_words(lines: str, kind: str) -> None:
    found = told(TRACE + lines)
    assert found.kind == kind
    assert found.excerpt[0].startswith("Traceback")
    assert found.excerpt[-1] == lines.strip()


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("/start.sh: line 3:  4242 Killed                  python train.py", "killed"),
        (
            "torch.multiprocessing.spawn.ProcessExitedException: terminated with signal SIGKILL",
            "killed",
        ),
        ("Segmentation fault (core dumped)", "crash"),
        ("Fatal Python error: Aborted", "crash"),
        ("Terminated", "terminated"),
    ],
)
def test_ends_without_a_traceback_are_known_too(line: str, kind: str) -> None:
    found = told(f"step 12\n{line}\n")
    assert found.kind == kind
    assert found.excerpt == (line,)


def test_ordinary_lines_are_no_cause() -> None:
    for name in ("yolo9t_long", "yolo9t_early", "yolox_done", "yolo9t_killed", "sig_INT"):
        assert diagnose(evidence(RECORDINGS / name), None, ended=True) is None
    chatter = (
        "NCCL version 2.19.3\nPreloading: 2 images killed by the filter | Killed\nno such file\n"
    )
    assert diagnose(evidence(console=log(chatter)), None, ended=True) is None


def test_a_trouble_that_was_survived_is_not_the_cause() -> None:
    survived = TRACE + "torch.OutOfMemoryError: CUDA out of memory\n"
    epoch = "2026-11-30 02:00:00 | INFO     | Epoch 4 - Average loss: 0.5\n"
    assert diagnose(evidence(console=log(survived + epoch)), None, ended=True) is None
    assert told(epoch + survived).kind == "gpu_out_of_memory"


def test_a_full_disk_explains_a_silent_run_before_anything_else() -> None:
    full = Disk("/", 1000 * 1024, 262144000 * 1024)
    found = diagnose(evidence(disk=full, console=log("NCCL timeout\n")), None, ended=False)
    assert found is not None
    assert (found.kind, found.summary) == ("disk_full", "disk full (100 %, 1000 KB left)")


def test_the_runs_own_log_is_read_too() -> None:
    found = diagnose(evidence(log=log(TRACE + "ValueError: bad\n")), None, ended=True)
    assert found is not None
    assert (found.summary, found.source) == ("ValueError: bad", "/root/runs/run1/train.log")


def test_a_living_run_without_trouble_has_no_diagnosis() -> None:
    at: Evidence = evidence(status=status(), process=alive())
    assert diagnose(at, None, ended=False) is None
    assert (
        diagnose(evidence(status=status(), process=gone(), oom_kills=0), None, ended=True) is None
    )


# -- tracebacks -------------------------------------------------------------


def test_chained_tracebacks_are_one() -> None:
    chain = (
        "before\n" + TRACE + "KeyError: 'a'\n\n"
        "During handling of the above exception, another exception occurred:\n\n"
        + TRACE
        + "ValueError: b\nmore of the message\n\nafter\n"
    ).splitlines()
    found = last_traceback(chain)
    assert found is not None
    assert found.error == "ValueError: b"
    assert found.at == 1
    assert "KeyError: 'a'" in found.lines
    assert found.lines[-1] == "more of the message"


def test_of_two_tracebacks_the_last_counts() -> None:
    found = last_traceback(
        (TRACE + "KeyError: 1\nlater\n" + TRACE + "ValueError: 2\n").splitlines()
    )
    assert found is not None
    assert found.error == "ValueError: 2"
    assert "KeyError: 1" not in found.lines


def test_a_ranks_mark_is_taken_off() -> None:
    lines = [f"[rank1]: {line}" for line in (TRACE + "RuntimeError: x").splitlines()]
    found = last_traceback(["noise", *lines, "[rank0]: other"])
    assert found is not None
    assert found.error == "RuntimeError: x"


def test_a_traceback_that_is_cut_off_is_told_as_far_as_it_goes() -> None:
    found = last_traceback(TRACE.splitlines())
    assert found is not None
    assert found.error == "go()"
    assert last_traceback(["Traceback (most recent call last):"]) is not None
    assert last_traceback([]) is None


def test_a_message_ends_where_the_log_goes_on() -> None:
    lines = [*(TRACE + "ValueError: x").splitlines(), "2026-11-30 02:00:00 | INFO     | more"]
    found = last_traceback(lines)
    assert found is not None
    assert found.lines[-1] == "ValueError: x"


def test_an_endless_traceback_keeps_its_end() -> None:
    deep = [
        "Traceback (most recent call last):",
        *['  File "x", line 1'] * 5000,
        "RecursionError: x",
    ]
    found = last_traceback(deep)
    assert found is not None
    assert len(found.lines) == 60
    assert found.lines[-1] == "RecursionError: x"


def test_a_log_that_tells_of_another_error_than_the_status_is_not_believed() -> None:
    foreign = evidence(console=log(TRACE + "KeyError: 'onnx'\n"))
    found = diagnose(foreign, RunError("ValueError", "bad anchors"), ended=True)
    assert found is None or "onnx" not in found.summary
    own = evidence(console=log(TRACE + "ValueError: bad anchors\n" + TRACE + "LaunchError: 1\n"))
    found = diagnose(own, RunError("pkg.ValueError", "bad anchors"), ended=True)
    assert found is not None and found.excerpt
