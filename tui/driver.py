"""The terminal driver with a longer life: bytes that are no UTF-8 must not end the app.

A terminal that was re-attached may still send mouse positions in the old X10 way, whose bytes
beyond column 95 are no UTF-8; Textual's input thread ends the app on the first one
(Textualize/textual#6668).
"""

from __future__ import annotations

from textual.driver import Driver


def steady(driver: type[Driver]) -> type[Driver]:
    """Return a driver whose input thread starts anew after bytes that it cannot decode."""
    try:
        from textual.drivers.linux_driver import LinuxDriver
    except ImportError:
        return driver
    if driver is not LinuxDriver:
        return driver

    class SteadyDriver(LinuxDriver):
        """Loses the bytes that cannot be decoded, and nothing else."""

        def run_input_thread(self) -> None:
            """Read input until the driver stops."""
            while True:
                try:
                    super().run_input_thread()
                except UnicodeDecodeError:
                    if not self.exit_event.is_set():
                        continue
                return

    return SteadyDriver
