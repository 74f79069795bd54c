"""The last way to follow a box: SFTP alone, looking again every second, without live facts."""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tui.facts import Fact, Notice
from tui.links.base import FollowRequest, LinkError
from tui.links.follower.disk import Info, LocalDisk
from tui.links.follower.following import Follower
from tui.links.follower.loop import Loop
from tui.links.follower.main import hello
from tui.links.follower.request import Request
from tui.links.follower.wire import Memory
from tui.links.frames import Decoder
from tui.links.request import new_marker, request_line
from tui.links.ssh.words import plain

if TYPE_CHECKING:
    from paramiko.sftp_attr import SFTPAttributes
    from paramiko.sftp_client import SFTPClient
    from paramiko.sftp_file import SFTPFile

REPLY_SECONDS = 14.0
NOTICE = "followed by SFTP alone: no processes, GPUs or disk, and ages are by this computer's clock"


class SftpLink:
    """Follows one box through an SFTP session that somebody else opened and closes."""

    def __init__(self, client: SFTPClient) -> None:
        self._client = client
        self._closed = threading.Event()

    def open(self, request: FollowRequest) -> Iterator[Fact]:
        """Yield facts until closed, or once. Raises LinkError("lost") when the session ends."""
        marker = new_marker()
        output = Memory(marker.encode("ascii"))
        decoder = Decoder(marker)
        wanted = Request(request_line(request, machine=False))
        follower = Follower(wanted, output, SftpDisk(self._client))
        hello(follower, b"sftp")
        loop = Loop(follower, -1)
        yield Notice(NOTICE)
        try:
            more = True
            while more and not self._closed.is_set():
                more = loop.step()
                yield from decoder.feed(output.take())
                if more:
                    self._closed.wait(loop.pause())
        except LinkError:
            if not self._closed.is_set():
                raise

    def close(self) -> None:
        """End the stream."""
        self._closed.set()


class FoundElsewhere:
    """What another machine says of a file, under the names that ``os.stat`` uses."""

    st_dev = 0
    st_ino = 0

    def __init__(self, mode: int, size: int, seconds: int, owner_id: int) -> None:
        self.st_mode = mode
        self.st_size = size
        self.st_mtime_ns = seconds * 1000000000
        self.st_uid = owner_id


class SftpDisk(LocalDisk):
    """The files of a box as SFTP shows them: no inodes, whole seconds."""

    gone = (LinkError,)
    keeps_handles = False
    look_seconds = 1.0

    def __init__(self, client: SFTPClient) -> None:
        super().__init__()
        self._client = client
        self._files: dict[int, SFTPFile] = {}
        self._next = 1
        channel = client.get_channel()
        if channel is not None:
            channel.settimeout(REPLY_SECONDS)

    def info(self, path: bytes) -> Info:
        """Return what is at a path, symbolic links followed."""
        with self._asking():
            return _info(self._client.stat(path))

    def open(self, path: bytes) -> int:
        """Open for reading."""
        with self._asking():
            file = self._client.open(path, "rb", 0)
        self._next += 1
        self._files[self._next] = file
        return self._next

    def handle_info(self, handle: int) -> Info:
        """Return what an open handle is."""
        with self._asking():
            return _info(self._files[handle].stat())

    def read(self, handle: int, offset: int, size: int) -> bytes:
        """Read up to ``size`` bytes at an offset."""
        with self._asking():
            file = self._files[handle]
            file.seek(offset)
            return file.read(size)

    def close(self, handle: int) -> None:
        """Close a handle."""
        self._files.pop(handle).close()

    def listing(self, path: bytes, limit: int) -> tuple[list[bytes], list[bytes], bool]:
        """Return names of directories (no links), of other entries, and whether that is all."""
        with self._asking():
            entries = self._client.listdir_attr(path)  # type: ignore[arg-type]  # takes bytes
        directories: list[bytes] = []
        others: list[bytes] = []
        for entry in entries[:limit]:
            name = entry.filename.encode("utf-8", "surrogateescape")
            (directories if _info(entry).directory else others).append(name)
        return directories, others, len(entries) <= limit

    def home(self) -> bytes:
        """Return the user's home directory."""
        with self._asking():
            return self._client.normalize(".").encode("utf-8", "surrogateescape")

    def owner(self, owner_id: int) -> bytes:
        """Return a user's number: names are the box's own."""
        return b"%d" % owner_id

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Tell a broken session from a file's own trouble, which is an OSError."""
        from paramiko.sftp import SFTPError
        from paramiko.ssh_exception import SSHException

        try:
            yield
        except (TimeoutError, SSHException, SFTPError, EOFError) as error:
            told = plain(error) or "no reply"
            raise LinkError("lost", f"the SFTP session ended: {told}") from error
        except UnicodeDecodeError as error:
            raise OSError(errno.EILSEQ, "a name is not UTF-8") from error
        except OSError as error:
            channel = self._client.get_channel()
            if channel is None or channel.closed:
                raise LinkError("lost", "the SFTP session ended") from error
            raise


def _info(found: SFTPAttributes) -> Info:
    now = int(time.time())
    return Info(
        FoundElsewhere(
            mode=found.st_mode or 0,
            size=found.st_size or 0,
            seconds=now if found.st_mtime is None else found.st_mtime,
            owner_id=found.st_uid or 0,
        )
    )
