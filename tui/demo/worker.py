"""The demo's own process: SSH servers and players, apart from the screen that watches them.

It is started by ``DemoSession`` with its plan as the only argument, prints one line when the boxes
answer, and ends when its stdin closes, so it never outlives the session, however that ends.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from tui.demo.environment import box_environment
from tui.demo.sandbox import Sandbox

TRAIN_BOX = "demo-train"


class Plan(msgspec.Struct, frozen=True):
    """What to play. ``lock`` is the open file that holds the sandbox ``directory``."""

    directory: str
    lock: int
    speed: float = 1.0
    train: bool = False
    python: str = sys.executable


class Ready(msgspec.Struct, frozen=True):
    """The boxes answer: their ports by name."""

    ports: dict[str, int]


def main() -> None:
    """Serve until stdin closes or a signal asks to end; nothing is left behind."""
    plan = msgspec.json.decode(sys.argv[1], type=Plan)
    sandbox = Sandbox(Path(plan.directory), plan.lock)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: stop.set())
    closers: list[Callable[[], None]] = []
    try:
        ready = _serve(plan, sandbox, closers)
        sys.stdout.buffer.write(msgspec.json.encode(ready) + b"\n")
        sys.stdout.buffer.flush()
        threading.Thread(target=_await_end_of_file, args=(stop,), daemon=True).start()
        stop.wait()
    finally:
        for close in reversed(closers):
            close()
        sandbox.remove()


def _await_end_of_file(stop: threading.Event) -> None:
    sys.stdin.buffer.read()
    stop.set()


def _serve(plan: Plan, sandbox: Sandbox, closers: list[Callable[[], None]]) -> Ready:
    """Start everything; ``closers`` gets what ends it again, as soon as there is something."""
    import paramiko

    from tui.demo.keys import make_key
    from tui.demo.scene import BOXES
    from tui.demo.server import BoxServer
    from tui.demo.ssh_files import write_ssh_files

    names = [TRAIN_BOX] if plan.train else [box.name for box in BOXES]
    homes = {name: sandbox.home(name) for name in names}
    environments = {name: box_environment(sandbox, home) for name, home in homes.items()}
    make_key(sandbox.client_key)
    client_key = paramiko.Ed25519Key.from_private_key_file(str(sandbox.client_key))
    servers: dict[str, BoxServer] = {}
    for name in names:
        key_path = sandbox.path / f"{name}.host_key"
        make_key(key_path)
        host_key = paramiko.Ed25519Key.from_private_key_file(str(key_path))
        servers[name] = BoxServer(homes[name], environments[name], host_key, client_key)
        closers.append(servers[name].close)
    write_ssh_files(sandbox, servers)
    _start_runs(plan, homes, environments, closers)
    for server in servers.values():
        server.start()
    return Ready({name: server.port for name, server in servers.items()})


def _start_runs(
    plan: Plan,
    homes: dict[str, Path],
    environments: dict[str, dict[str, str]],
    closers: list[Callable[[], None]],
) -> None:
    if plan.train:
        from tui.demo.train import Training

        home, environment = homes[TRAIN_BOX], environments[TRAIN_BOX]
        closers.append(Training(home, environment, python=plan.python).close)
    else:
        from tui.demo.scene import Scene

        scene = Scene(homes, environments, plan.speed)
        closers.append(scene.close)
        scene.start()


if __name__ == "__main__":
    main()
