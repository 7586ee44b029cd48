"""Remembers the timeline of the primary, so that an old primary that comes back is recognized.

Each promotion begins a timeline with a higher number. What is seen is shared by all processes that
are forked later, and goes on over a reload in the environment; a stop forgets it.
"""

import atexit
import mmap
import os
import struct

_ENVIRONMENT = "FORUMSVC_TIMELINE"
_RECORD = struct.Struct("QQ")
_shared = mmap.mmap(-1, _RECORD.size)


def is_outdated(cluster: int, timeline: int) -> bool:
    """Return whether a primary of a cluster was replaced by one of a higher timeline; note it else.

    cluster: the system identifier, which a primary and its standbys have in common.
    """
    known_cluster, highest = _RECORD.unpack_from(_shared)
    if cluster == known_cluster and timeline < highest:
        return True
    if (cluster, timeline) != (known_cluster, highest):
        _RECORD.pack_into(_shared, 0, cluster, timeline)
    return False


def highest() -> int:
    """Return the highest timeline seen, 0 if none was."""
    return int(_RECORD.unpack_from(_shared)[1])


def _export() -> None:
    """Pass on what was seen to the program that a reload executes."""
    if highest():
        os.environ[_ENVIRONMENT] = "{}:{}".format(*_RECORD.unpack_from(_shared))


if _ENVIRONMENT in os.environ:
    _RECORD.pack_into(_shared, 0, *map(int, os.environ[_ENVIRONMENT].split(":")))
atexit.register(_export)
