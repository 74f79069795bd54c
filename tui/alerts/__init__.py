"""Alerts: from what is watched to what a person is told, each thing once.

``judge`` finds events in snapshots, ``outbox`` makes messages of them, ``courier`` delivers those.
"""
