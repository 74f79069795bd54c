"""Demo boxes to try boxtop on: real SSH servers on loopback that play recorded runs.

``session.DemoSession`` is what the command line uses. GPUs and prices of these boxes are made up;
the runs are recordings of real trainings, or with ``train=True`` a real training.
"""
