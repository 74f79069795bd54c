"""Programs that boxtop sends to a box: Python 3.8 and its standard library, nothing else of tui.

A program goes in over its standard input and is never written to the box's disk.
"""
