"""Passwords at rest: argon2id, a few at a time.

Hashing one takes 19 MiB and a core for some 20 ms on purpose. So only two are hashed at once, and
no more threads than `set_slots` says hash or wait for that: a rush of log-ins takes neither all the
memory nor the threads that answer everything else.
"""

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager

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
_slots: threading.BoundedSemaphore | None = None
_NOBODYS = _hasher.hash("a password that nobody has")


class PasswordsBusy(Exception):
    """As many threads as may hash passwords do so; it is worth trying again in a second."""

    def __init__(self) -> None:
        super().__init__("Too many passwords are being checked now; try again in a moment.")


def set_slots(number: int) -> None:
    """Let so many threads of this process hash passwords or wait for it; without a call, all."""
    global _slots
    _slots = threading.BoundedSemaphore(number)


@contextmanager
def _slot() -> Iterator[None]:
    slots = _slots
    # Whoever waited for a slot would take a thread all the same.
    if slots is not None and not slots.acquire(blocking=False):
        raise PasswordsBusy
    try:
        with _gate:
            yield
    finally:
        if slots is not None:
            slots.release()


def hash_password(password: str) -> str:
    """Return the argon2id hash of a password, in PHC string format. Raises PasswordsBusy."""
    with _slot():
        return _hasher.hash(password.encode("utf-8", "surrogatepass"))


def verify_password(stored: str | None, password: str) -> bool:
    """Return whether `password` is the one that was hashed into `stored`.

    Takes the same time where there is no hash (an unknown user, say), so that nobody learns that.
    Raises PasswordsBusy.
    """
    if len(password) > MAX_LENGTH:
        password, stored = "", None
    with _slot():
        try:
            matches = _hasher.verify(stored or _NOBODYS, password.encode("utf-8", "surrogatepass"))
        except (VerificationError, InvalidHashError):
            return False
    return matches and stored is not None


def needs_rehash(stored: str) -> bool:
    """Return whether a stored hash was made with other parameters than today's."""
    return _hasher.check_needs_rehash(stored)
