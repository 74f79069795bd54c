"""boxtop: a terminal monitor for LibreYOLO training on rented GPUs."""

__version__ = "0.1.0"
