"""A vendor with a ledger, and a box "lab" over a real sshd whose address is its instance's."""

from tests.alerts.conftest import listener  # noqa: F401
from tests.cli.conftest import boxtop, spawn  # noqa: F401
from tests.cli.ending import fake, lab, words  # noqa: F401
from tests.hub import hub_fixture  # noqa: F401
