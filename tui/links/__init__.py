"""How bytes come from a box: SSH, this machine, a recording."""
