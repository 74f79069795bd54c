"""A box over SSH: resolved, known, logged in to and read, by paramiko or by ssh itself."""
