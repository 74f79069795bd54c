"""huggingface_hub on this machine: set up so that it is silent, asks nobody and can be followed."""

from __future__ import annotations

import inspect
import io
import logging
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from tui.onbox.hub_facts import Problem
from tui.onbox.hub_meter import CountedReader, Meter

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd, HfApi

PACKAGE = "huggingface_hub"
NEEDED = ("whoami", "repo_info", "create_repo", "create_commit", "get_paths_info")
SETTINGS = {
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    "HF_HUB_DISABLE_UPDATE_CHECK": "1",
    "HF_HUB_DISABLE_EXPERIMENTAL_WARNING": "1",
    "HF_XET_TELEMETRY_ENABLED": "0",
    "HF_XET_LOG_DEST": os.devnull,
}
REMOVED = (
    "HF_TOKEN",
    "HUGGING_FACE_HUB_TOKEN",
    "HF_TOKEN_PATH",
    "HF_DEBUG",
    "HF_HUB_OFFLINE",
    "TRANSFORMERS_OFFLINE",
    "HF_OIDC_RESOURCE",
    "HF_HUB_ENABLE_HF_TRANSFER",
    "HF_ENDPOINT",
    "HUGGINGFACE_CO_STAGING",
)
"""Of the box's own settings: its tokens are not to be used, and its mirrors are not for ours.

The rest would stop or betray us.
"""

WAITING = re.compile(r"(?:Waiting|Retrying in) (?P<seconds>\d+(?:\.\d+)?) ?s")
STATUS = re.compile(r"HTTP Error (?P<status>\d{3}) thrown")


def prepare(endpoint: str | None, disable_xet: bool, home: str, counted: bool = False) -> None:
    """Set the environment that huggingface_hub reads when it is imported.

    ``home`` becomes HF_HOME, so that nothing is left elsewhere on the box's disk. ``counted`` lets
    the client make its progress bars, which tell how far it is: standard error is nowhere then.
    """
    for name in REMOVED:
        os.environ.pop(name, None)
    os.environ.update(SETTINGS)
    os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "0" if counted else "1"
    os.environ["HF_HOME"] = home
    os.environ.pop("HF_XET_CACHE", None)
    if endpoint:
        os.environ["HF_ENDPOINT"] = endpoint
    if disable_xet:
        os.environ["HF_HUB_DISABLE_XET"] = "1"


def load(endpoint: str | None, token: str) -> HfApi:
    """Return the client, the box's own or else the one installed beside it.

    Raises Problem ``NoClient`` when both are missing, broken or too old.
    """
    see_packages()
    try:
        return _imported(endpoint, token)
    except Problem:
        if not is_installed():
            raise
    for name in list(sys.modules):
        if name.partition(".")[0] == PACKAGE:
            del sys.modules[name]
    sys.path.insert(0, str(packages_directory()))
    return _imported(endpoint, token)


def packages_directory() -> Path:
    """Return where ``install`` puts huggingface_hub: into no environment that trains."""
    return Path("~/.cache/boxtop/packages").expanduser()


def is_installed() -> bool:
    """Whether ``install`` has put one there."""
    return (packages_directory() / PACKAGE / "__init__.py").is_file()


def see_packages() -> None:
    """Find installed packages also where python was started without them (``-S``)."""
    if sys.flags.no_site:
        import site

        site.main()


def _imported(endpoint: str | None, token: str) -> HfApi:
    try:
        import huggingface_hub
        from huggingface_hub import CommitOperationAdd, HfApi
    except Exception as error:  # noqa: BLE001 - a broken installation raises anything
        raise Problem("NoClient", f"{type(error).__name__}: {error}") from None
    version = str(getattr(huggingface_hub, "__version__", "0"))
    missing = [name for name in NEEDED if not hasattr(HfApi, name)]
    if missing or not hasattr(CommitOperationAdd, "as_file"):
        raise Problem("NoClient", f"huggingface_hub {version} is too old", version=version)
    return HfApi(endpoint=endpoint or None, token=token)


def uploads_first(api: HfApi) -> bool:
    """Whether this client can upload what is large before it commits: then stages can be told."""
    upload = getattr(api, "preupload_lfs_files", None)
    return upload is not None and "free_memory" in inspect.signature(upload).parameters


def versions() -> dict[str, object]:
    """Return ``{client, xet}``: versions, None for what is not there or switched off."""
    from importlib.metadata import PackageNotFoundError, version

    found: dict[str, object] = {}
    for name, package in (("client", PACKAGE), ("xet", "hf_xet")):
        try:
            found[name] = version(package)
        except PackageNotFoundError:
            found[name] = None
    if os.environ.get("HF_HUB_DISABLE_XET", "").upper() in ("1", "ON", "YES", "TRUE"):
        found["xet"] = None
    return found


class Impatient(Exception):
    """The client wants to wait longer than was allowed before it tries again."""

    def __init__(self, note: str, status: int | None, seconds: float) -> None:
        super().__init__(note)
        self.status, self.seconds = status, seconds


class Listener(logging.Handler):
    """Takes what the client logs: how long it waits before it tries again, and why."""

    def __init__(self, meter: Meter, patience: float) -> None:
        super().__init__(logging.WARNING)
        self._meter, self._patience = meter, patience
        self._why, self._status = "", None  # type: str, int | None

    def emit(self, record: logging.LogRecord) -> None:
        """Note a wait; Impatient, through the client, when it is longer than allowed."""
        text = record.getMessage()
        waits = WAITING.search(text)
        if waits is None:
            status = STATUS.search(text)
            if "thrown while requesting" in text:
                self._why = text
                self._status = int(status.group("status")) if status else None
            return
        seconds = float(waits.group("seconds"))
        if seconds > self._patience:
            raise Impatient(self._why or text, self._status, seconds)
        self._meter.wait(seconds, self._why or text)


def listen(meter: Meter, patience: float) -> None:
    """Send all that the client logs to a meter, and nowhere else."""
    logger = logging.getLogger(PACKAGE)
    logger.handlers = [Listener(meter, patience)]
    logger.propagate = False
    logger.setLevel(logging.WARNING)


def additions(files: list[dict[str, object]], meter: Meter) -> list[CommitOperationAdd]:
    """Return the client's own operations for these files, reading them through a meter."""
    from huggingface_hub import CommitOperationAdd

    class Counted(CommitOperationAdd):
        @contextmanager
        def as_file(self, with_tqdm: bool = False) -> Iterator[BinaryIO]:
            """Open the file, as the client does for LFS and small files; xet reads it itself."""
            if isinstance(self.path_or_fileobj, bytes):
                yield io.BytesIO(self.path_or_fileobj)
                return
            with CountedReader(str(self.path_or_fileobj), meter) as file:
                yield file

    def source(file: dict[str, object]) -> str | bytes:
        data = file.get("data")
        return data if isinstance(data, bytes) else str(file["local_path"])

    return [
        Counted(path_in_repo=str(file["path_in_repo"]), path_or_fileobj=source(file))
        for file in files
    ]


def count_xet(meter: Meter) -> None:
    """Let the xet client report to a meter instead of drawing bars; without it nothing happens."""
    try:
        from huggingface_hub.utils import _xet_progress_reporting as reporting
    except ImportError:
        return

    class Reporter:
        """What the client makes where it would draw bars."""

        def __init__(self, *_: object, **__: object) -> None:
            """Need nothing of what the bars are told."""

        def update_progress(self, total_update: object, item_updates: object) -> None:
            """Count. hf_xet wants these names of 0.3x; 2.x calls the bytes the same."""
            done = getattr(total_update, "total_bytes_completed", 0) or 0
            sent = getattr(total_update, "total_transfer_bytes_completed", 0) or 0
            meter.sent(int(done), int(sent))

        def __getattr__(self, name: str) -> object:
            return lambda *_, **__: None

    for name in ("XetUploadProgressReporter", "XetProgressReporter"):  # 2.x, 0.3x to 1.x
        if hasattr(reporting, name):
            setattr(reporting, name, Reporter)
