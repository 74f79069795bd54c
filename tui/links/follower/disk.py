"""The file system as the follower sees it; an SFTP session can stand in for this machine's."""

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tui.links.sftp import FoundElsewhere


class Info:
    """Identity, size and change time of one file; ``modified`` in nanoseconds."""

    __slots__ = ("device", "directory", "inode", "mode", "modified", "owner_id", "regular", "size")

    def __init__(self, found: "os.stat_result | FoundElsewhere") -> None:
        self.device = found.st_dev
        self.inode = found.st_ino
        self.size = found.st_size
        self.modified = found.st_mtime_ns
        self.mode = found.st_mode & 0o7777
        self.owner_id = found.st_uid
        self.regular = stat.S_ISREG(found.st_mode)
        self.directory = stat.S_ISDIR(found.st_mode)

    def identity(self) -> "tuple[int, int]":
        """What stays while a file is the same file."""
        return (self.device, self.inode)

    def signature(self) -> "tuple[int, int, int, int, int, int]":
        """What changes whenever a file was written, replaced, or given other rights."""
        return (self.device, self.inode, self.size, self.modified, self.mode, self.owner_id)


class LocalDisk:
    """This machine's files.

    ``gone`` are the exceptions that say that none of it can be reached any more.

    ``keeps_handles`` says that an open handle stays with its file when that is renamed and another
    one takes its name; ``look_seconds`` is how often a busy run's files are looked at where nobody
    tells of changes.
    """

    gone: "tuple[type[Exception], ...]" = ()
    keeps_handles = True
    look_seconds = 0.25

    def __init__(self) -> None:
        self.owners: "dict[int, bytes]" = {}

    def info(self, path: bytes) -> Info:
        """Return what is at a path, symbolic links followed."""
        return Info(os.stat(path))

    def open(self, path: bytes) -> int:
        """Open for reading; a FIFO or a terminal in a file's place never blocks us."""
        return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)

    def handle_info(self, handle: int) -> Info:
        """Return what an open handle is."""
        return Info(os.fstat(handle))

    def read(self, handle: int, offset: int, size: int) -> bytes:
        """Read up to ``size`` bytes at an offset; fewer only where the file ends."""
        return os.pread(handle, size, offset)

    def close(self, handle: int) -> None:
        """Close a handle; a network disk may refuse even that, and nothing is lost then."""
        try:
            os.close(handle)
        except OSError:
            return

    def listing(self, path: bytes, limit: int) -> "tuple[list[bytes], list[bytes], bool]":
        """Return names of directories (no links), of other entries, and whether that is all."""
        directories: "list[bytes]" = []
        others: "list[bytes]" = []
        with os.scandir(path) as entries:
            for count, entry in enumerate(entries):
                if count >= limit:
                    return directories, others, False
                try:
                    below = entry.is_dir(follow_symlinks=False)
                except OSError:
                    continue
                (directories if below else others).append(entry.name)
        return directories, others, True

    def home(self) -> bytes:
        """Return the user's home directory."""
        return os.path.expanduser(b"~")

    def owner(self, owner_id: int) -> bytes:
        """Return a user's name, or the number where there is none."""
        if owner_id not in self.owners:
            self.owners[owner_id] = user_name(owner_id)
        return self.owners[owner_id]


def user_name(owner_id: int) -> bytes:
    """Return the account's name for a user number."""
    try:
        import pwd

        return os.fsencode(pwd.getpwuid(owner_id).pw_name)
    except (ImportError, KeyError, OSError):
        return b"%d" % owner_id


def number(value: int) -> bytes:
    """Return a number as it stands in frames."""
    return b"%d" % value


def moment(seconds: float) -> bytes:
    """Return a time as it stands in frames."""
    return b"%.3f" % seconds


def stat_field(disk: LocalDisk, info: Info) -> bytes:
    """Return ``size mtime inode device mode owner`` as it stands in frames."""
    seconds, rest = divmod(info.modified, 1000000000)
    owner = disk.owner(info.owner_id)
    return b"%d %d.%09d %d %d %d %s" % (
        info.size, seconds, rest, info.inode, info.device, info.mode, owner,
    )  # fmt: skip
