"""What people do: weights out, trainings ended; each action proves what it did."""
