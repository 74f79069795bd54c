"""The signal that paramiko cannot go on where the system's ssh can."""

from __future__ import annotations


class NeedsOpenSsh(Exception):
    """``str(reason)`` says what only OpenSSH can do: a FIDO token, a host certificate, …"""
