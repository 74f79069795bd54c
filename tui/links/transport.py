"""Paramiko's transport, made quiet and cheap for hundreds of idle connections."""

from __future__ import annotations

import logging
import socket
import zlib
from typing import TYPE_CHECKING, ClassVar

from paramiko.compress import ZlibDecompressor
from paramiko.message import Message
from paramiko.packet import Packetizer
from paramiko.transport import Transport

from tui.text import one_line

BANNER_SECONDS = 15.0
HANDSHAKE_SECONDS = 20.0
IDLE_SECONDS = 2.0
"""How often an idle connection's thread wakes up; closing one does not wait for it."""

logging.getLogger("paramiko").addHandler(logging.NullHandler())
logging.getLogger("paramiko").setLevel(logging.CRITICAL + 1)


class _SmallCompressor:
    """A deflate stream of 9 kB instead of 260: what goes to a box is little, and there are many."""

    def __init__(self) -> None:
        self._stream = zlib.compressobj(6, zlib.DEFLATED, wbits=9, memLevel=1)

    def __call__(self, data: bytes) -> bytes:
        return self._stream.compress(data) + self._stream.flush(zlib.Z_SYNC_FLUSH)


class _Packets(Packetizer):
    """Without the timer thread for each handshake: handshakes have a deadline of ours."""

    def start_handshake(self, timeout: float) -> None:
        """Start no timer."""

    def complete_handshake(self) -> None:
        """Cancel none, as paramiko does anew for every packet."""


class BoxTransport(Transport):
    """A client's transport that wakes up seldom and keeps the reason of a disconnect."""

    # 10 wake-ups a second, as paramiko has it, cost 3 % of a core for 100 idle connections.
    _active_check_timeout = IDLE_SECONDS

    _compression_info: ClassVar = {
        "zlib@openssh.com": (_SmallCompressor, ZlibDecompressor),
        "zlib": (_SmallCompressor, ZlibDecompressor),
        "none": (None, None),
    }

    disconnect_reason: str | None = None
    server_extensions: dict[str, bytes]

    def __init__(self, sock: socket.socket) -> None:
        super().__init__(sock, packetizer_class=_Packets)

    if TYPE_CHECKING:  # paramiko's own, which its type stubs leave out

        def _send_message(self, data: Message) -> None: ...

        def _send_user_message(self, data: Message) -> None: ...

        def _auth_trigger(self) -> None: ...

    def prefer_host_keys(self, types: tuple[str, ...]) -> None:
        """Ask for a host key of these types first, so that a second key is no false alarm."""
        options = self.get_security_options()
        wanted = [name for known in types for name in _ALGORITHMS.get(known, (known,))]
        offered = tuple(options.key_types)
        first = tuple(name for name in wanted if name in offered)
        options.key_types = first + tuple(name for name in offered if name not in first)

    def _parse_disconnect(self, message: Message) -> None:
        message.get_int()
        self.disconnect_reason = one_line(message.get_text(), 200)


_ALGORITHMS = {"ssh-rsa": ("rsa-sha2-512", "rsa-sha2-256")}
