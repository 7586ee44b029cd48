"""Passwords at rest: argon2id, one at a time, in a thread of low priority.

Hashing one takes 19 MiB and a core for some 20 ms on purpose. So a process hashes in one thread,
which gives way to those that answer requests, and no more of these than `set_slots` says wait for
it: a rush of log-ins takes neither the memory, nor a core, nor the threads from everything else.
"""

import ctypes
import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

MAX_LENGTH = 1024
"""Characters; a longer text is no password of ours and is not hashed."""

_M_MMAP_THRESHOLD = -3
_LARGE = 8 * 1024 * 1024
_NICENESS = 5
"""Steps of Unix priority that the hashing thread is below the others.

On a core with one busy thread it gets a quarter of the time: a hash takes four times as long.
"""

_Result = TypeVar("_Result")


def _give_memory_back() -> None:
    """Have the C library return what a hash took to the system, where it is glibc.

    Each thread that ever checked a password would keep its 19 MiB otherwise: 150 MB of a process.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _LARGE)


_give_memory_back()
_hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
_slots: threading.BoundedSemaphore | None = None
_pool: ThreadPoolExecutor
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
        yield
    finally:
        if slots is not None:
            slots.release()


def require_slot() -> None:
    """Raise PasswordsBusy where no slot is free, before other work is done in vain."""
    with _slot():
        pass


def _yield_to_other_threads() -> None:
    """Lower this thread's priority.

    It stays on its process's core: elsewhere it would hold the interpreter's lock and wait for a
    busy core, while its own stands idle.
    """
    # Elsewhere a thread has no priority of its own that could be set by its id. Linux lets every
    # thread lower its own; a sandbox that forbids the call leaves it as it is.
    if sys.platform == "linux":
        thread = threading.get_native_id()
        with suppress(OSError):
            usual = os.getpriority(os.PRIO_PROCESS, thread)
            os.setpriority(os.PRIO_PROCESS, thread, usual + _NICENESS)


def _prepare_pool() -> None:
    """Have the hashing thread start with the next password."""
    global _pool
    _pool = ThreadPoolExecutor(1, "passwords", _yield_to_other_threads)


_prepare_pool()
# A forked process inherits the pool without its thread.
os.register_at_fork(after_in_child=_prepare_pool)


def _run(work: Callable[..., _Result], *arguments: object) -> _Result:
    """Return what `work` makes of the arguments in the hashing thread. Raises PasswordsBusy."""
    with _slot():
        return _pool.submit(work, *arguments).result()


def hash_password(password: str) -> str:
    """Return the argon2id hash of a password, in PHC string format. Raises PasswordsBusy."""
    return _run(_hasher.hash, password.encode("utf-8", "surrogatepass"))


def verify_password(stored: str | None, password: str) -> bool:
    """Return whether `password` is the one that was hashed into `stored`.

    Takes the same time where there is no hash (an unknown user, say), so that nobody learns that.
    Raises PasswordsBusy.
    """
    if len(password) > MAX_LENGTH:
        password, stored = "", None
    try:
        _run(_hasher.verify, stored or _NOBODYS, password.encode("utf-8", "surrogatepass"))
    except (VerificationError, InvalidHashError):
        return False
    return stored is not None


def needs_rehash(stored: str) -> bool:
    """Return whether a stored hash was made with other parameters than today's."""
    return _hasher.check_needs_rehash(stored)
