"""`boxtop demo`: boxes of our own on loopback, watched through the ordinary SSH link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tui.cli.console import shows_screen
from tui.cli.options import Verb
from tui.cli.session import Session

if TYPE_CHECKING:
    from tui.boxes import Box
    from tui.links.base import Asker, Link


@click.command(cls=Verb)
@click.option("--train", is_flag=True, help="Train a small model for real (extra `train`).")
@click.option(
    *("--speed",),
    type=click.FloatRange(0.1, 1000),
    default=1.0,
    show_default=True,
    help="Play the recorded run faster.",
)
@click.pass_obj
def command(session: Session, train: bool, speed: float) -> int:
    """Try boxtop without a box: an SSH server of its own plays a recorded run.

    GPUs and prices of its boxes are made up. Nothing is left afterwards. Without a terminal it
    prints one look.
    """
    return show_demo(session, train=train, speed=speed)


def show_demo(session: Session, *, train: bool = False, speed: float = 1.0) -> int:
    """Start the demo's boxes, show them until the screen is left, and take them away."""
    from tui.demo.session import DemoSession
    from tui.links.ssh.config import ConfigFiles

    with DemoSession(speed=speed, train=train) as demo:

        def link_for(box: Box, asker: Asker) -> Link:
            """Reach a box of the demo by its own keys, whatever the user's ssh knows."""
            from tui.boxes import SshTarget
            from tui.links.ssh.link import SshLink

            assert isinstance(box.target, SshTarget)
            return SshLink(box.target, asker, ConfigFiles.of_user(demo.ssh_config))

        if shows_screen():
            from tui.verbs.screen import show_screen

            return show_screen(session, demo.boxes, data=demo.data, link_for=link_for)
        from tui.report.exit_code import exit_code
        from tui.report.plain import status_lines
        from tui.watch.look import look

        views = look(demo.boxes, session.asker, demo.data, link_for=link_for)
        session.console.say_all(status_lines(views, session.console.paper))
        return exit_code(views)
