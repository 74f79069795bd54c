"""What a run means: its files, its metrics, its verdict. Pure of I/O but for the mirror."""
