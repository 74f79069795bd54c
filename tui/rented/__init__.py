"""Rented boxes: which box is which instance, how it is reached, and what its provider tells."""
