"""A Hugging Face Hub on loopback, for tests: see ``server``."""

from tests.hub.accounts import Scope, Token
from tests.hub.faults import HTML_502, Answer, Cut, Hang, Hold, Trickle
from tests.hub.fixture import hub_fixture
from tests.hub.server import SECRET, Hub
from tests.hub.store import git_blob_oid

__all__ = [
    "HTML_502",
    "SECRET",
    "Answer",
    "Cut",
    "Hang",
    "Hold",
    "Hub",
    "Scope",
    "Token",
    "Trickle",
    "git_blob_oid",
    "hub_fixture",
]
