"""An embedded box to try boxtop on: a real SSH server on loopback and a recorded run."""
