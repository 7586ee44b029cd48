"""A rate limiter: counts in each process for itself, or in a Redis for all.

A fixed window begins with its first event. So the remaining number and the reset time are exact,
and a subject costs one number.
"""

import logging
import math
import time
from typing import Any, NamedTuple

from limits import RateLimitItem
from limits.errors import ConfigurationError, StorageError
from limits.storage import Storage, storage_from_string

from ...errors import single_line_message
from ...settings import Settings, SettingsError
from .memory_counts import MemoryCounts

log = logging.getLogger(__name__)

_TIMEOUT_SECONDS = 0.25
_RETRY_SECONDS = 5
_PREFIX = "forumsvc"


class LimitStatus(NamedTuple):
    """The state of one limit. remaining: events left; reset: seconds until the window ends."""

    is_allowed: bool
    remaining: int
    reset: int


class RateLimiter:
    """Counts in one storage. While it is not reachable, everything is allowed."""

    def __init__(self, settings: Settings) -> None:
        """Open the storage of the settings. Raises SettingsError."""
        self._storage = _open_storage(settings["rate_limit.storage"])
        self._retry_at = 0.0

    def is_reachable(self) -> bool:
        """Return whether the storage answers."""
        return bool(self._storage.check())

    def count(self, rate: RateLimitItem, limit_name: str, subject: str) -> LimitStatus | None:
        """Count an event of a subject; None if the storage does not answer."""
        if time.monotonic() < self._retry_at:
            return None
        key = rate.key_for(limit_name, subject)
        try:
            number = self._storage.incr(key, rate.get_expiry())
            ends = self._storage.get_expiry(key)
        except StorageError as error:
            self._retry_at = time.monotonic() + _RETRY_SECONDS
            log.warning(
                "rate_limit.storage does not answer, nothing is counted: %s",
                single_line_message(error),
            )
            return None
        reset = max(1, math.ceil(round(ends - time.time(), 3)))
        return LimitStatus(number <= rate.amount, max(0, rate.amount - number), reset)


def _open_storage(address: str) -> MemoryCounts | Storage:
    if address.startswith("memory:"):
        return MemoryCounts()
    try:
        return _open_redis(address)
    except (ConfigurationError, ImportError):
        raise SettingsError(
            "rate_limit.storage: a Redis needs its client; pip install 'forumsvc[redis]'"
        ) from None
    except ValueError as error:
        raise SettingsError(
            f"rate_limit.storage: the address of a Redis is wrong: {error}"
        ) from None


def _open_redis(address: str) -> Storage:
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    options: dict[str, Any] = {
        "key_prefix": _PREFIX,
        "socket_timeout": _TIMEOUT_SECONDS,
        "socket_connect_timeout": _TIMEOUT_SECONDS,
        "retry": Retry(NoBackoff(), 1),
    }
    storage = storage_from_string(address, wrap_exceptions=True, **options)
    assert isinstance(storage, Storage), "the URL is not of an asynchronous storage"  # noqa: S101
    return storage
