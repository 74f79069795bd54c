"""Benchmarks: what the product costs and how fast it is, each figure beside its baseline."""
