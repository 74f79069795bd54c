"""`boxtop completion`: the lines that a shell needs to complete verbs, options and targets."""

from __future__ import annotations

import click

from tui.cli.options import Verb
from tui.cli.session import Session

_SHELLS = ("bash", "zsh", "fish")


@click.command(cls=Verb)
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_obj
def command(session: Session, shell: str) -> int:
    """Write the completion for a shell, to be sourced by it.

    \b
    bash: boxtop completion bash > ~/.local/share/bash-completion/completions/boxtop
    zsh:  boxtop completion zsh > a file _boxtop in a directory of $fpath
    fish: boxtop completion fish > ~/.config/fish/completions/boxtop.fish
    """
    from click.shell_completion import get_completion_class

    from tui.cli.commands import COMPLETE_VARIABLE, NAME, root

    completion = get_completion_class(shell)
    assert completion is not None
    source = completion(root, {}, NAME, COMPLETE_VARIABLE)
    template = source.source_template % source.source_vars()
    session.console.say_all([template.strip()])
    return 0
