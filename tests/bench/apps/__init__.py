"""The least that Textual can do, as baselines: a label, and its own log widget."""
