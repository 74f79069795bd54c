"""Asks the person at the terminal; in a script there is nobody, and nobody says yes."""

from __future__ import annotations

import sys
import threading
from functools import cache

from tui.links.base import ChangedKeyQuestion, HostKeyQuestion
from tui.text import one_line


class ConsoleAsker:
    """Answers the questions of links: from the options, from a terminal, or with no.

    Links ask from their own threads; one question is on the terminal at a time.
    """

    def __init__(self, *, accept_new_host_key: bool = False) -> None:
        self._accept = accept_new_host_key
        self._lock = threading.Lock()

    def accept_host_key(self, question: HostKeyQuestion) -> bool:
        """Whether a key that nobody has seen may be trusted and remembered."""
        if self._accept:
            return True
        if not _somebody_is_there():
            return False
        host = one_line(question.host)
        with self._lock:
            sys.stderr.write(
                f"{host} shows a host key that is not known yet:\n"
                f"  {one_line(question.key_type)} {one_line(question.fingerprint)}\n"
                "Trust it, and remember it in known_hosts? [y/N] "
            )
            sys.stderr.flush()
            return sys.stdin.readline().strip().lower() in ("y", "yes")

    def replace_host_key(self, question: ChangedKeyQuestion) -> bool:
        """Whether a changed key shall be replaced: by the typed word alone, never by an option."""
        if self._accept or not _somebody_is_there():
            return False
        host = one_line(question.host)
        known = "".join(f"  known    {one_line(one)}\n" for one in question.known)
        with self._lock:
            sys.stderr.write(
                f"{host}: the host key CHANGED: a new box at an old address, or somebody in "
                f"between. Ask the provider.\n{known}"
                f"  offered  {one_line(question.offered)} ({one_line(question.key_type)})\n"
                "Type replace to put the offered key in the place of the known one: "
            )
            sys.stderr.flush()
            return sys.stdin.readline().strip() == "replace"

    def passphrase(self, key_path: str, attempt: int) -> str | None:
        """The passphrase of a private key, typed without echo."""
        if not _somebody_is_there():
            return None
        from getpass import getpass

        again = "" if attempt == 1 else f" (try {attempt} of 3)"
        with self._lock:
            _keep_echo()
            try:
                return getpass(f"Passphrase of {one_line(key_path)}{again}: ", sys.stderr) or None
            except EOFError:
                return None


@cache
def _keep_echo() -> None:
    """See that the terminal echoes after us: Ctrl-C ends us while another thread reads."""
    import atexit
    import termios

    descriptor = sys.stdin.fileno()
    usual = termios.tcgetattr(descriptor)
    atexit.register(termios.tcsetattr, descriptor, termios.TCSADRAIN, usual)


def _somebody_is_there() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))
