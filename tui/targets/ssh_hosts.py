"""Which names ~/.ssh/config knows: targets that need no address."""

from __future__ import annotations

_WILD = frozenset("*?!")


class SshHosts:
    """The patterns of all ``Host`` lines, in the order in which they stand."""

    def __init__(self, patterns: tuple[str, ...] = ()) -> None:
        self.patterns = patterns

    @staticmethod
    def of_user() -> SshHosts:
        """Read the configuration of this user, with everything that it includes."""
        from tui.links.ssh.config import ConfigFiles
        from tui.links.ssh.config_file import host_patterns

        files = ConfigFiles.of_user()
        return SshHosts(tuple(host_patterns(files.list, files.home)))

    @property
    def names(self) -> tuple[str, ...]:
        """The patterns that are plain names."""
        return tuple(dict.fromkeys(p for p in self.patterns if not _WILD & set(p)))

    def knows(self, name: str) -> bool:
        """Whether a pattern speaks of this name; ``*`` speaks of none."""
        from tui.links.ssh.config_file import matches

        return any(
            matches(name, pattern)
            for pattern in self.patterns
            if not pattern.startswith("!") and pattern.strip("*?.") != ""
        )
