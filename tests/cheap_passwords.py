"""Password hashes of minimal cost: the real ones cost each test 20 ms and more."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from argon2 import PasswordHasher

from forumsvc.process import passwords

CHEAP = PasswordHasher(time_cost=1, memory_cost=32, parallelism=1)
_DUMMY_HASH = CHEAP.hash("a password that nobody has")


@contextmanager
def cheap_passwords() -> Iterator[None]:
    """Let this process hash passwords with minimal cost, for a while."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_hasher", CHEAP)
        patch.setattr(passwords, "_DUMMY_HASH", _DUMMY_HASH)
        yield
