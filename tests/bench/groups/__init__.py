"""One file a group of figures: ``measure`` yields them as they are known."""
