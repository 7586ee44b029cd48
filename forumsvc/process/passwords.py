"""Password hashing with argon2id, one at a time, in a thread of low priority.

One hash takes 19 MiB and a core for about 20 ms, by design. So each process hashes in one thread,
with a lower priority than the threads that answer requests, and no more of these than `set_slots`
allows wait for it: many log-ins at once cannot use up the memory, a core, or all the threads.

A password is hashed in one form (RFC 8265, `opaque_string`), whatever keyboard it was typed on. A
hash of a password as it was typed, from before this rule, stays valid until the next log-in.
"""

import ctypes
import gzip
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache
from importlib import resources
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from ..text.messages import Message
from ..text.unicode_forms import opaque_string

_LEAST_DIFFERENT = 5
"""Characters."""


def weakness(password: str, user_inputs: Iterable[str] = ()) -> str | None:
    """Return why a password is easily guessed, or None if it is not.

    user_inputs: what others know of its owner and would try first: login, email, name of the site.
    The password is compared in its form (`opaque_string`), in any case, with these and with the
    common ones that are long enough (13,579 passwords, names and words of 10 or more characters).
    How long it is, is judged elsewhere.
    """
    key = opaque_string(password).lower()
    if len(set(key)) < _LEAST_DIFFERENT:
        return Message("has too few different characters")
    if key in _common():
        return Message("is one of the most common passwords")
    known = {
        opaque_string(part).lower()
        for text in user_inputs
        for part in (text, text.partition("@")[0])
    }
    if key in known:
        return Message("must not be your login, your email address or the name of this site")
    return None


@cache
def _common() -> frozenset[str]:
    # Not at the start: most processes never need the list.
    packed = resources.files("forumsvc.process").joinpath("common_passwords.txt.gz").read_bytes()
    return frozenset(gzip.decompress(packed).decode().split())


MAX_LENGTH = 1024
"""Characters; a longer text is never a valid password and is not hashed."""

_M_MMAP_THRESHOLD = -3
_MMAP_THRESHOLD_BYTES = 8 * 1024 * 1024
_NICENESS = 5
"""By how much the Unix priority of the hashing thread is below that of the others.

On a core with one busy thread it gets a quarter of the time: a hash takes four times as long.
"""

_T = TypeVar("_T")


def _return_freed_memory() -> None:
    """Have glibc return the memory of a hash to the system.

    Otherwise each thread that ever checked a password keeps its 19 MiB: 150 MB for a process.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _MMAP_THRESHOLD_BYTES)


_return_freed_memory()
_hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
_slots: threading.BoundedSemaphore | None = None
_pool: ThreadPoolExecutor
_DUMMY_HASH = _hasher.hash("a password that nobody has")


class PasswordsBusy(Exception):
    """Too many threads wait for a hash; the caller may try again in a second."""

    def __init__(self) -> None:
        text = Message("Too many passwords are being checked now; try again in a moment.")
        super().__init__(text)


def set_slots(number: int) -> None:
    """Set how many threads of this process may wait for a hash; unlimited by default."""
    global _slots
    _slots = threading.BoundedSemaphore(number)


@contextmanager
def _slot() -> Iterator[None]:
    slots = _slots
    # Do not wait for a slot: that would also occupy a thread.
    if slots is not None and not slots.acquire(blocking=False):
        raise PasswordsBusy
    try:
        yield
    finally:
        if slots is not None:
            slots.release()


def require_slot() -> None:
    """Raise PasswordsBusy if no slot is free, before other work is done in vain."""
    with _slot():
        pass


def _yield_to_other_threads() -> None:
    """Lower this thread's priority.

    It stays on its process's core: on another one it would hold the interpreter lock while it
    waits for a busy core, and its own core would be idle.
    """
    # Only Linux has a priority for each thread, settable by its id. Every thread may lower its own;
    # in a sandbox that forbids the call it stays the same.
    if sys.platform == "linux":
        thread = threading.get_native_id()
        with suppress(OSError):
            priority = os.getpriority(os.PRIO_PROCESS, thread)
            os.setpriority(os.PRIO_PROCESS, thread, priority + _NICENESS)


def _prepare_pool() -> None:
    """Create the pool; its thread starts with the next password."""
    global _pool
    _pool = ThreadPoolExecutor(1, "passwords", _yield_to_other_threads)


_prepare_pool()
# A forked process inherits the pool but not its thread.
os.register_at_fork(after_in_child=_prepare_pool)


def _run(function: Callable[..., _T], *arguments: object) -> _T:
    """Return the result of the function, run in the hashing thread. Raises PasswordsBusy."""
    with _slot():
        return _pool.submit(function, *arguments).result()


def hash_password(password: str) -> str:
    """Return the argon2id hash of a password, in PHC string format. Raises PasswordsBusy."""
    return _run(_hasher.hash, opaque_string(password).encode("utf-8", "surrogatepass"))


def verify_password(stored: str | None, password: str) -> bool:
    """Return whether `password` matches the hash in `stored`.

    Takes the same time if there is no hash (for an unknown user), so that the time reveals
    nothing. Raises PasswordsBusy.
    """
    if len(password) > MAX_LENGTH:
        password, stored = "", None
    form = opaque_string(password)
    return _matches(stored, form) or (form != password and _matches(stored, password))


def _matches(stored: str | None, text: str) -> bool:
    try:
        _run(_hasher.verify, stored or _DUMMY_HASH, text.encode("utf-8", "surrogatepass"))
    except (VerificationError, InvalidHashError):
        return False
    return stored is not None


def needs_rehash(stored: str, password: str) -> bool:
    """Return whether a stored hash of a password has other parameters than the current ones.

    Or whether it is of the password as it was typed, not of its form.
    """
    form = opaque_string(password)
    return _hasher.check_needs_rehash(stored) or (form != password and not _matches(stored, form))
