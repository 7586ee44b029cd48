"""Passwords at rest: argon2id, a few at a time.

Hashing one takes 19 MiB and a core for some 20 ms on purpose; a gate keeps a rush of log-ins
from taking all the memory and every thread's time at once.
"""

import ctypes
import threading

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

MAX_LENGTH = 1024
"""Characters; a longer text is no password of ours and is not hashed."""

_M_MMAP_THRESHOLD = -3
_LARGE = 8 * 1024 * 1024


def _give_memory_back() -> None:
    """Have the C library return what a hash took to the system, where it is glibc.

    Each thread that ever checked a password would keep its 19 MiB otherwise: 150 MB of a process.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _LARGE)


_give_memory_back()
_hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
_gate = threading.BoundedSemaphore(2)
_NOBODYS = _hasher.hash("a password that nobody has")


def hash_password(password: str) -> str:
    """Return the argon2id hash of a password, in PHC string format."""
    with _gate:
        return _hasher.hash(password.encode("utf-8", "surrogatepass"))


def verify_password(stored: str | None, password: str) -> bool:
    """Return whether `password` is the one that was hashed into `stored`.

    Takes the same time where there is no hash (an unknown user, say), so that nobody learns that.
    """
    if len(password) > MAX_LENGTH:
        password, stored = "", None
    with _gate:
        try:
            matches = _hasher.verify(stored or _NOBODYS, password.encode("utf-8", "surrogatepass"))
        except (VerificationError, InvalidHashError):
            return False
    return matches and stored is not None


def needs_rehash(stored: str) -> bool:
    """Return whether a stored hash was made with other parameters than today's."""
    return _hasher.check_needs_rehash(stored)
