"""`boxtop demo`: boxes of our own on loopback, watched through the ordinary SSH link."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from tui.cli.console import shows_screen
from tui.cli.options import Verb
from tui.cli.session import Session

if TYPE_CHECKING:
    from tui.boxes import Box
    from tui.demo.session import DemoSession
    from tui.links.base import Asker, Link
    from tui.rented.opening import Rents


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


def rented(demo: DemoSession) -> tuple[Box, ...]:
    """Return the demo's boxes as boxes of an account: their provider says how they are reached."""
    from dataclasses import replace

    from tui.boxes import InstanceName, SshTarget
    from tui.demo.ssh_files import rented_as

    boxes = []
    for box in demo.boxes:
        assert isinstance(box.target, SshTarget)
        alias = rented_as(box.name)
        target = SshTarget(box.target.host, box.target.user, box.target.port, host_key_alias=alias)
        name = InstanceName("demo", box.name)
        boxes.append(replace(box, target=target, instance=name, from_provider=True))
    return tuple(boxes)


def rents(boxes: Sequence[Box]) -> Rents:
    """Return an account that exists in this process only and rents out the demo's boxes."""
    from dataclasses import replace

    from tui.boxes import SshTarget
    from tui.providers.account import Accounts
    from tui.providers.base import Address
    from tui.providers.demo import BOXES, Demo
    from tui.rented.opening import Opened, Rents

    places = {box.name: box.target for box in boxes if isinstance(box.target, SshTarget)}
    plans = [
        replace(plan, addresses=(Address(place.host, place.port, place.user),))
        for plan in BOXES
        if (place := places.get(plan.name)) is not None
    ]
    return Rents(Opened(Accounts([Demo(plans)])), adds=False, same_machine=False)


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

            if train:
                return show_screen(session, demo.boxes, data=demo.data, link_for=link_for)
            boxes = rented(demo)
            return show_screen(
                session, boxes, data=demo.data, link_for=link_for, accounts=lambda: rents(boxes)
            )
        from tui.report.exit_code import exit_code
        from tui.report.plain import status_lines
        from tui.watch.look import look

        views = look(demo.boxes, session.asker, demo.data, link_for=link_for)
        session.console.say_all(status_lines(views, session.console.paper))
        return exit_code(views)
