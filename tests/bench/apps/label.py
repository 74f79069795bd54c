"""A minimal Textual app: one label."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Label

TEXT = "painted-by-textual"


class LabelApp(App[None]):
    """Shows a word."""

    def compose(self) -> ComposeResult:
        """Only that."""
        yield Label(TEXT)


if __name__ == "__main__":
    LabelApp().run()
