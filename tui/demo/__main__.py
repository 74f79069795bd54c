"""``python -m tui.demo``: only the boxes, and how to reach them with ssh, until Ctrl-C."""

from __future__ import annotations

import argparse
import contextlib
import signal
import sys

from tui.demo.session import DemoError, DemoSession


def main() -> int:
    """Run the demo's boxes until they are interrupted; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tui.demo", description=__doc__)
    parser.add_argument("--speed", type=float, default=1.0, help="play the recordings faster")
    parser.add_argument("--train", action="store_true", help="train for real with LibreYOLO")
    options = parser.parse_args()
    try:
        with DemoSession(speed=options.speed, train=options.train) as demo:
            for box in demo.boxes:
                print(f"ssh -F {demo.ssh_config} {box.name} nvidia-smi")  # noqa: T201 - the result
            sys.stdout.flush()
            with contextlib.suppress(KeyboardInterrupt):
                signal.pause()
    except DemoError as error:
        lines = [str(error), *([error.hint] if error.hint else [])]
        sys.stderr.write("".join(f"{line}\n" for line in lines))
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
