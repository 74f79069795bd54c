"""Passes packets between two tunnels, each direction delayed: the wide part of a WideNetwork.

``python -m tests.bench.packet_relay TUN TUN SECONDS``; the word ``drop`` on standard input makes
it drop every packet, its end ends the relay.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
import time
from collections import deque

PACKET_BYTES = 2048
AT_ONCE = 64


def relay(one: int, other: int, delay: float) -> None:
    """Pass packets on until standard input ends."""
    waiting: dict[int, deque[tuple[float, bytes]]] = {one: deque(), other: deque()}
    sink = {one: other, other: one}
    dropping = False
    while True:
        due = [queue[0][0] for queue in waiting.values() if queue]
        patience = max(0.0, min(due) - time.monotonic()) if due else None
        ready, _, _ = select.select([0, one, other], [], [], patience)
        if 0 in ready:
            if not os.read(0, 4096):
                return
            dropping = True
        for source in (one, other):
            if source in ready:
                packets = _packets(source)
                if not dropping:
                    at = time.monotonic() + delay
                    waiting[source].extend((at, packet) for packet in packets)
            queue = waiting[source]
            while queue and queue[0][0] <= time.monotonic():
                with contextlib.suppress(OSError):
                    os.write(sink[source], queue.popleft()[1])


def _packets(source: int) -> list[bytes]:
    found: list[bytes] = []
    with contextlib.suppress(BlockingIOError):
        while len(found) < AT_ONCE:
            found.append(os.read(source, PACKET_BYTES))
    return found


if __name__ == "__main__":
    with contextlib.suppress(OSError):
        os.nice(-15)
    sys.stdout.write("up\n")
    sys.stdout.flush()
    relay(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
