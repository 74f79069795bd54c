"""The program that runs on a box: standard library only, Python >= 3.6, sent as source.

Its modules import each other by their full names, here and on the box, and nothing else of ours.
Paths and names are bytes throughout, so that no file name can break it; annotations that an old
Python does not know are strings.
"""
