"""A TCP relay on loopback that can delay, stall, drop and cut connections: a network gone bad.

``delay`` is the time in seconds that bytes need in each direction, so a round trip takes twice as
long; the TCP handshake itself is not delayed. ``bandwidth`` in bytes per second is for each
direction of each connection, None for no limit.
"""

from __future__ import annotations

import contextlib
import select
import selectors
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType

CHUNK = 65536


@dataclass
class Flow:
    """One direction of one connection."""

    source: socket.socket
    sink: socket.socket
    to_client: bool
    waiting: deque[tuple[float, bytes]] = field(default_factory=deque)
    free_at: float = 0.0
    sent: int = 0
    ended: bool = False


class Relay:
    """Passes connections on to ``port``; itself listens on ``self.port``."""

    def __init__(self, port: int, delay: float = 0.0, bandwidth: float | None = None) -> None:
        self.target = port
        self.delay = delay
        self.bandwidth = bandwidth
        self.accepted = 0
        self.bytes_to_client = 0
        self._stalled = False
        self._cut_after: int | None = None
        self._flows: list[Flow] = []
        self._todo: deque[Callable[[], None]] = deque()
        self._selector = selectors.DefaultSelector()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = int(self._listener.getsockname()[1])
        self._wake, self._woken = socket.socketpair()
        self._running = True
        self._thread = threading.Thread(target=self._run, name="relay", daemon=True)

    def __enter__(self) -> Relay:
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._do(self._stop)
        self._thread.join(10)

    def stall(self) -> None:
        """Pass nothing on any more, and say nothing about it: the peer has vanished."""
        self._do(lambda: setattr(self, "_stalled", True))

    def resume(self) -> None:
        """Pass bytes on again, those held back first."""
        self._do(lambda: setattr(self, "_stalled", False))

    def drop(self) -> None:
        """Reset every connection."""
        self._do(self._reset_all)

    def cut_after(self, count: int) -> None:
        """Reset the connections when ``count`` further bytes have gone to the client."""
        self._do(lambda: setattr(self, "_cut_after", self.bytes_to_client + count))

    def refuse(self) -> None:
        """Listen no longer: further connections are refused."""
        self._do(self._close_listener)

    def _do(self, action: Callable[[], None]) -> None:
        done = threading.Event()
        self._todo += [action, done.set]
        self._wake.send(b"x")
        assert done.wait(10), "the relay's thread is gone"

    def _run(self) -> None:
        while self._running:
            if self._stalled:
                select.select([self._woken], [], [])
            for key, _ in self._selector.select(0 if self._stalled else self._patience()):
                if key.fileobj is self._listener:
                    self._accept()
                elif key.fileobj is self._woken:
                    self._woken.recv(CHUNK)
                elif isinstance(key.data, Flow):
                    self._read(key.data)
            while self._todo:
                self._todo.popleft()()
            if not self._stalled:
                for flow in list(self._flows):
                    self._deliver(flow)
        self._selector.close()

    def _patience(self) -> float | None:
        due = [flow.waiting[0][0] for flow in self._flows if flow.waiting]
        return max(0.0, min(due) - time.monotonic()) if due else None

    def _accept(self) -> None:
        client, _ = self._listener.accept()
        self.accepted += 1
        try:
            server = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            _reset(client)
            return
        for end in (client, server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            end.setblocking(False)
        for source, sink in ((client, server), (server, client)):
            flow = Flow(source, sink, to_client=sink is client)
            self._flows.append(flow)
            self._selector.register(source, selectors.EVENT_READ, flow)

    def _read(self, flow: Flow) -> None:
        if self._stalled:
            return
        try:
            data = flow.source.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        start = max(time.monotonic(), flow.free_at)
        flow.free_at = start + (len(data) / self.bandwidth if self.bandwidth else 0.0)
        flow.waiting.append((flow.free_at + self.delay, data))
        if not data:
            self._selector.unregister(flow.source)

    def _deliver(self, flow: Flow) -> None:
        while flow.waiting and flow.waiting[0][0] <= time.monotonic():
            due, data = flow.waiting.popleft()
            if not data:
                self._end(flow)
                return
            if flow.to_client and self._cut_after is not None:
                data = data[: max(0, self._cut_after - self.bytes_to_client)]
            try:
                sent = flow.sink.send(data) if data else 0
            except BlockingIOError:
                sent = 0
            except OSError:
                self._reset_pair(flow)
                return
            if flow.to_client:
                self.bytes_to_client += sent
                if self._cut_after is not None and self.bytes_to_client >= self._cut_after:
                    self._cut_after = None
                    self._reset_all()
                    return
            if sent < len(data):
                flow.waiting.appendleft((max(due, time.monotonic() + 0.002), data[sent:]))

    def _end(self, flow: Flow) -> None:
        """One side has finished writing; both ends close when the other has, too."""
        flow.ended = True
        with contextlib.suppress(OSError):
            flow.sink.shutdown(socket.SHUT_WR)
        other = next((each for each in self._flows if each.sink is flow.source), None)
        if other is None or other.ended:
            self._flows = [each for each in self._flows if each not in (flow, other)]
            flow.sink.close()
            flow.source.close()

    def _reset_pair(self, flow: Flow) -> None:
        pair = {flow.source, flow.sink}
        self._flows = [each for each in self._flows if each.source not in pair]
        for end in pair:
            with contextlib.suppress(KeyError, ValueError):
                self._selector.unregister(end)
            _reset(end)

    def _reset_all(self) -> None:
        while self._flows:
            self._reset_pair(self._flows[0])

    def _close_listener(self) -> None:
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(self._listener)
        self._listener.close()

    def _stop(self) -> None:
        self._running = False
        self._reset_all()
        self._close_listener()
        self._wake.close()


def _reset(end: socket.socket) -> None:
    """Close with a reset instead of a farewell."""
    with contextlib.suppress(OSError):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    end.close()
