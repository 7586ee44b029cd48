"""The environment variables by which an application learns what its server knows."""

CORES = "FORUMSVC_CORES"
"""The cores that were there before any pinning: `0,1`."""

WORKER_NUMBER = "FORUMSVC_WORKER"
"""A worker's number, from 1; it is there before the fork."""
