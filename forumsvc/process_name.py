"""Which of the server's processes this is."""

import os

NUMBER = "FORUMSVC_WORKER"
"""The environment variable with a worker's number, from 1; it is there before the fork."""


def name() -> str:
    """Return this worker's number, or the process id under a server that gives none."""
    return os.environ.get(NUMBER) or str(os.getpid())
