"""Which processor cores there are for this process, and staying on one of them.

A Python process whose threads roam over several cores loses a factor of two to ten to the fight for
the interpreter's lock.
"""

import logging
import os

from .environment import CORES

log = logging.getLogger(__name__)


def available() -> list[int]:
    """Return the cores that this process may use, as numbers, the lowest first."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def remember() -> list[int]:
    """Write the available cores into the environment, for child processes, and return them."""
    allowed = available()
    os.environ[CORES] = ",".join(map(str, allowed))
    return allowed


def pin_to_core(number: int, allowed: list[int]) -> None:
    """Keep this thread, and those that it starts from now on, on one core.

    number: which of the workers this is, from 1; those that follow each other get different cores.
    allowed: the cores to choose from. The last one comes first, for the system's own work gathers
    on the first.
    """
    if not hasattr(os, "sched_setaffinity"):
        return
    core = allowed[-1 - (number - 1) % len(allowed)]
    try:
        os.sched_setaffinity(0, {core})
    except OSError as error:
        log.warning("The system keeps worker %d from staying on core %d: %s", number, core, error)
