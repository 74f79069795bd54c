"""The commented boxtop.toml that `boxtop config init` writes."""

from __future__ import annotations

import os
from pathlib import Path

from tui.errors import UserError

SAMPLE = """\
# boxtop's configuration. Every key is optional; a wrong one is an error that names its line.
# `boxtop config check` reads this file and lists the boxes in it.

# [watch]
# runs = ["/root/runs", "/workspace/runs"]   # searched on every box, and ~/runs besides

# One section for each box. Its name is what you type: `boxtop status lab`.
# [box.lab]
# ssh = "root@203.0.113.7 -p 41022"          # what the provider shows after `ssh`
# runs = ["/data/runs"]                      # searched before the ones above
# console = "/root/train.log"                # what `nohup ... > /root/train.log 2>&1` writes
# price_per_hour = 3.4828                    # US dollars while it runs
# disk_gb = 250
# storage_gb_month = 0.20                    # US dollars for a GB and month while it is stopped
# instance = "vast:12345678"                 # instead of ssh: its provider tells the address

# A box without `ssh` is a host of ~/.ssh/config, or a directory of this machine:
# [box.gpu1]
# price_per_hour = 0.69
# stop = "my-stop-command"                   # commands of your own: stop, start, destroy, state
# stop_keeps = ["/"]                         # what that stop leaves as it is
# [box.desk]
# path = "~/runs"

# [hub]
# to = "my-org/{run}"                        # where weights go
# via = "box"                                # "box" uploads itself, "here" relays through you
# private = true

# [hub.auto]
# best_every = "20m"                         # at most that often, after a new best epoch
# every_epochs = 10
# on_end = true

# [alerts]
# urls = ["ntfy://topic", "https://example.org/hook"]   # try them: boxtop alerts test
# quiet = ["23:00", "07:00"]                 # nothing then but on the screen; one summary after it
# desktop = true                             # a notification by the terminal
# off = ["new_best"]                         # boxtop alerts lists all kinds

# [keys]
# quit = "Q"                                 # action = key

# A file that holds a key asks for mode 0600; better name the file that the vendor's tool keeps.
# [providers.vast]
# enabled = true
# key_file = "~/.config/vastai/vast_api_key"
"""


def write_sample(path: Path) -> None:
    """Write the sample. Raises UserError when the file exists: it is never overwritten."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise UserError(f"{path} exists and stays as it is", "edit it, or name another") from None
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from error
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        out.write(SAMPLE)
