"""The name of this worker process, for logs and metrics."""

import os

WORKER_NUMBER = "FORUMSVC_WORKER"
"""The environment variable with a worker's number, from 1; it is set before the fork."""


def name() -> str:
    """Return this worker's number, or the process id under a server that sets none."""
    return os.environ.get(WORKER_NUMBER) or str(os.getpid())
