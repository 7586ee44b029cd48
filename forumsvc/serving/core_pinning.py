"""Pins a process to one of its processor cores.

A Python process whose threads move between cores is slower by a factor of two to ten: the threads
compete for the interpreter lock.
"""

import logging
import os

from .environment import CORES

log = logging.getLogger(__name__)


def available_cores() -> list[int]:
    """Return the numbers of the cores that this process may use, in ascending order."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def export_available_cores() -> list[int]:
    """Store the available cores in the environment, for child processes, and return them."""
    allowed = available_cores()
    os.environ[CORES] = ",".join(map(str, allowed))
    return allowed


def pin_to_core(number: int, allowed: list[int]) -> None:
    """Pin this thread, and those that it starts from now on, to one core.

    number: the worker's number, from 1; consecutive workers get different cores. allowed: the
    cores to choose from. The last core is used first, because the system's own work gathers on
    the first.
    """
    if not hasattr(os, "sched_setaffinity"):
        return
    core = allowed[-1 - (number - 1) % len(allowed)]
    try:
        os.sched_setaffinity(0, {core})
    except OSError as error:
        log.warning("The system keeps worker %d from staying on core %d: %s", number, core, error)
