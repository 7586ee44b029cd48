"""The environment variables that tell an application what its server knows."""

CORES = "FORUMSVC_CORES"
"""The cores that were available before pinning: `0,1`."""

WORKER_NUMBER = "FORUMSVC_WORKER"
"""A worker's number, from 1; it is set before the fork."""

DRAINING = "forumsvc.draining"
"""The key in the WSGI environ that is true while the server is about to end."""
