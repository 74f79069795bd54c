"""The verbs of boxtop, one file each, imported when used. Each has a ``command``."""
