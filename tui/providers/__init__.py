"""Who bills the boxes: each provider's API behind one protocol.

``factory.providers_of`` makes the providers that boxtop.toml enables, ``account.Accounts`` shows
all their instances as one view. Facts of the vendors are from their public documentation, OpenAPI
files and clients, read in 2026.
"""
