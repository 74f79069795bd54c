"""What ends or stops trainings: how each shows in a log, and what to do about it.

One table, most telling first. Wordings are those of PyTorch, CUDA, NCCL, the kernel, bash and
Python as their users report them.
"""

from __future__ import annotations

import re

import msgspec


class Cause(msgspec.Struct, frozen=True):
    """A known cause. ``anywhere`` lets it match any line, else only the lines of a traceback.

    ``pattern`` is a multi-line regular expression, compiled when a run has ended and not before.
    ``summary`` is None where the log's own line says it best.
    """

    kind: str
    pattern: str
    summary: str | None
    hint: str
    anywhere: bool = True

    def search(self, text: str) -> re.Match[str] | None:
        """Find the first place that tells of this cause."""
        return re.search(self.pattern, text, re.MULTILINE)


FEWER_WORKERS = "use fewer workers (workers=0..2) or a larger /dev/shm (docker --shm-size=8g)"
FREE_DISK = "free space on the box (old weights, caches), then resume from last.pt"
SMALLER_BATCH = "use batch=-1 (automatic) or a smaller batch or imgsz"
MORE_MEMORY = "use fewer workers, cache=false, or a box with more memory; then resume from last.pt"

CAUSES: tuple[Cause, ...] = (
    Cause(
        "shared_memory",
        r"(?i:bus error)|insufficient shared memory|No space left.*/dev/shm"
        r"|(?:/dev/shm|/torch_).*No space left"
        r"|unable to (?:open|mmap|write to|resize) (?:file|shared memory|\d+ bytes).*(?:torch_|shm)"
        r"|Unable to allocate shared memory",
        "shared memory full or too small",
        FEWER_WORKERS,
    ),
    Cause(
        "gpu_out_of_memory",
        r"(?:CUDA|HIP|MPS backend|NPU) out of memory|CUDA error: out of memory"
        r"|torch(?:\.cuda)?\.OutOfMemoryError|^OutOfMemoryError|CUBLAS_STATUS_ALLOC_FAILED"
        r"|CUDNN_STATUS_ALLOC_FAILED|cudaErrorMemoryAllocation",
        "GPU out of memory",
        SMALLER_BATCH,
    ),
    Cause(
        "disk_full",
        r"No space left on device|\bENOSPC\b|\[Errno 28\]",
        "disk full (No space left on device)",
        FREE_DISK,
    ),
    Cause(
        "disk_quota",
        r"Disk quota exceeded|\bEDQUOT\b|\[Errno 122\]",
        "disk full (quota exceeded)",
        "free space in this quota (old weights, caches), then resume from last.pt",
    ),
    Cause(
        "killed_by_oom",
        r"oom-kill|Out of memory: Killed process|oom_reaper|killed by signal: Killed"
        r"|^MemoryError|Cannot allocate memory|\[Errno 12\]",
        "the box ran out of memory",
        MORE_MEMORY,
    ),
    Cause(
        "cuda_assert",
        r"device-side assert|Assertion `.*` failed",
        "CUDA device-side assert",
        "usually a label outside the classes: check the data with `libreyolo doctor`",
    ),
    Cause(
        "gpu_lost",
        r"fallen off the bus|Unable to determine the device handle|GPU is lost"
        r"|uncorrectable ECC error|\bXid\b.*\d|no CUDA-capable device"
        r"|CUDA error: unspecified launch|CUDA error: unknown error",
        "the GPU stopped answering",
        "restart the box or rent another one; the checkpoints are not harmed",
    ),
    Cause(
        "cuda_memory_access",
        r"illegal memory access|misaligned address",
        "CUDA illegal memory access",
        "run once with CUDA_LAUNCH_BLOCKING=1 to find the call; amp=false may help",
    ),
    Cause(
        "nccl",
        r"NCCL (?:error|timeout|WARN)|ncclUnhandledCudaError|ncclSystemError|ncclRemoteError"
        r"|Watchdog caught collective operation timeout",
        "the GPUs lost touch with each other (NCCL)",
        "look at the other ranks' errors first; NCCL_P2P_DISABLE=1 helps on some hosts",
    ),
    Cause(
        "gpu_driver",
        r"driver version is insufficient|Found no NVIDIA driver|no kernel image is available"
        r"|CUDA driver initialization failed|CUDA_ERROR_NO_DEVICE|Torch not compiled with CUDA",
        "PyTorch and the GPU's driver do not fit",
        "install the torch build for this driver's CUDA version (nvidia-smi shows it)",
    ),
    Cause(
        "too_many_files",
        r"Too many open files|received 0 items of ancdata",
        "too many open files",
        "raise the limit (ulimit -n 65535) or use fewer workers",
    ),
    Cause(
        "port_in_use",
        r"Address already in use|EADDRINUSE",
        "another training holds the port",
        "end the processes that a former training left, or set another MASTER_PORT",
        anywhere=False,
    ),
    Cause(
        "module_missing",
        r"^(?:ModuleNotFoundError|ImportError)\b.*",
        None,
        "install what is missing in the training's environment",
        anywhere=False,
    ),
    Cause(
        "file_missing",
        r"^(?:\w+\.)*(?:FileNotFoundError|NotADirectoryError)\b.*|No such file or directory"
        r"|(?i:dataset .*not found|images not found|no (?:images|labels) found)",
        None,
        "check the paths in the data's YAML as the box sees them",
        anywhere=False,
    ),
    Cause(
        "permission",
        r"^PermissionError\b.*",
        None,
        "give the training's user the right to the path",
        anywhere=False,
    ),
    Cause(
        "non_finite_loss",
        r"(?i:loss (?:is|became) (?:nan|inf|not finite|non-?finite)|non-?finite loss)",
        "the loss is not finite",
        "lower lr0, longer warm-up, or amp=false; go on from the best checkpoint",
    ),
    Cause(
        "data_loader",
        r"DataLoader worker \(pid.*\) exited unexpectedly",
        None,
        "workers=0 shows the real error; often memory or shared memory ran out",
    ),
    Cause(
        "network",
        r"^(?:[\w.]+\.)?(?:ConnectionError|ConnectTimeout|URLError|HTTPError|MaxRetryError)\b.*"
        r"|Temporary failure in name resolution",
        None,
        "the box could not reach the network; try again or upload the file",
        anywhere=False,
    ),
    Cause(
        "crash",
        r"Segmentation fault|core dumped|^Fatal Python error.*|terminate called after throwing",
        "the training crashed in native code",
        "try workers=0 and amp=false; compare the versions of torch and its CUDA libraries",
    ),
    Cause(
        "killed",
        r"^(?:.*: line \d+: +\d+ +)?Killed\b(?!.*\|)|signal SIGKILL"
        r"|exitcode:? -9\b|exit code:? 137",
        "killed, reason unknown",
        "resume from last.pt; if it happens again, watch the box's memory",
    ),
    Cause(
        "terminated",
        r"^(?:.*: line \d+: +\d+ +)?Terminated\b(?!.*\|)|signal SIGTERM|exitcode:? -15\b",
        "ended by SIGTERM (kill, preemption, or the container stopped)",
        "resume from last.pt",
    ),
)
