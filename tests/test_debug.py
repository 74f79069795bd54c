"""Faults go to the file of --debug, and nowhere else."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tui import debug


@pytest.mark.parametrize("is_kept", [True, False])
def test_what_ends_a_thread_is_recorded_and_never_printed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    is_kept: bool,
) -> None:
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    monkeypatch.setattr(debug, "_target", tmp_path / "faults" if is_kept else None)
    debug.keep_threads_quiet()

    def fails() -> None:
        raise EOFError("the host that was jumped through is gone")

    thread = threading.Thread(target=fails)
    thread.start()
    thread.join()
    assert capfd.readouterr() == ("", "")
    recorded = (tmp_path / "faults").read_text() if is_kept else "EOFError"
    assert "EOFError" in recorded
