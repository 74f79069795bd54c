"""Asking nvidia-smi, which may hang for ever: killed then, never joined, never piled up."""

import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess

QUERY = (
    "--query-gpu=index,name,utilization.gpu,memory.used,memory.total,temperature.gpu,power.draw",
    "--format=csv,noheader,nounits",
)
PLACES = (
    "/usr/bin",
    "/usr/local/bin",
    "/usr/local/nvidia/bin",
    "/usr/lib/wsl/lib",
    "/opt/bin",
)
LIMIT_SECONDS = 5.0
PAUSE_SECONDS = 60.0
OUTPUT_BYTES = 65536
REAP_SECONDS = 0.02

HEAD_START_SECONDS = 1.0
"""The question is asked so long before the facts are sent, so that its answer is fresh."""

TIMED_OUT = b"timed out after 5 s"


def program() -> "str | None":
    """Return the full path of nvidia-smi; a command over SSH often has a short PATH."""
    for folder in os.environ.get("PATH", "").split(os.pathsep) + list(PLACES):
        path = os.path.join(folder, "nvidia-smi")
        if folder and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


class Gpus:
    """One question at a time, answered while everything else goes on.

    ``text`` is the last answer as printed, ``error`` why there is none; ``answered`` becomes true
    with the first outcome of any kind. ``descriptor`` is to be polled while it is not negative.
    """

    def __init__(self, path: "str | None", seconds: float) -> None:
        self.path = path
        self.seconds = max(1.0, seconds - HEAD_START_SECONDS)
        self.process: "subprocess.Popen[bytes] | None" = None
        self.descriptor = -1
        self.data = b""
        self.deadline = 0.0
        self.due = 0.0
        self.text = b""
        self.error = b""
        self.answered = path is None

    def tick(self, now: float) -> bool:
        """Go on with the question; True when an outcome came just now."""
        if self.path is None:
            return False
        if self.process is None:
            if now < self.due:
                return False
            return self.ask(now)
        if self.descriptor >= 0:
            self.read()
        code = self.process.poll()
        if self.deadline and now >= self.deadline and (code is None or self.descriptor >= 0):
            # A child that holds the output keeps it open when nvidia-smi itself is long gone.
            self.kill()
        if self.deadline and now >= self.deadline and code is None:
            return self.outcome(now + PAUSE_SECONDS, b"", TIMED_OUT)
        if code is None or self.descriptor >= 0:
            return False
        self.process = None
        if not self.deadline:
            return False
        words = b"" if code == 0 or self.data.strip() else b"nvidia-smi failed (%d)" % code
        return self.outcome(now + (PAUSE_SECONDS if code else self.seconds), self.data, words)

    def ask(self, now: float) -> bool:
        """Start the question."""
        import subprocess

        try:
            self.process = subprocess.Popen(
                (self.path or "",) + QUERY,  # noqa: RUF005  # Python 3.6 cannot unpack here
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            words = (error.strerror or "cannot be started").encode()
            return self.outcome(now + PAUSE_SECONDS, b"", words)
        if self.process.stdout is not None:
            self.descriptor = self.process.stdout.fileno()
            os.set_blocking(self.descriptor, False)
        self.data = b""
        self.deadline = now + LIMIT_SECONDS
        return False

    def read(self) -> None:
        """Take what was printed."""
        try:
            data = os.read(self.descriptor, OUTPUT_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self.data = (self.data + data)[:OUTPUT_BYTES]
        else:
            self.hang_up()

    def outcome(self, due: float, text: bytes, error: bytes) -> bool:
        """Keep an outcome until the next one."""
        self.due = due
        self.deadline = 0.0
        self.text = text
        self.error = error
        self.answered = True
        return True

    def wait(self, now: float) -> float:
        """Return in how many seconds to tick again, whatever the descriptor says."""
        if self.path is None:
            return PAUSE_SECONDS
        if self.process is None:
            return self.due - now
        if self.descriptor < 0 and self.deadline:
            return REAP_SECONDS
        return max(0.0, self.deadline - now) if self.deadline else max(self.due - now, 1.0)

    def kill(self) -> None:
        """End the question and everything it started; not even a stuck one is waited for."""
        if self.process is not None:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except OSError:
                self.process.kill()
        self.hang_up()

    def hang_up(self) -> None:
        """Close our end of its output."""
        if self.process is not None and self.process.stdout is not None:
            self.process.stdout.close()
        self.descriptor = -1

    def close(self) -> None:
        """Leave nothing running behind."""
        if self.process is not None and self.process.poll() is None:
            self.kill()
