"""A rate limiter: counts in each process for itself, or in a Redis for all.

A fixed window begins with its first event. So the remaining number and the reset time are exact,
and a subject costs one number.
"""

import logging
import math
import time
from typing import TYPE_CHECKING, NamedTuple, Self

from ...errors import single_line_message
from ...settings import Settings, SettingsError
from .memory_counts import MemoryCounts

if TYPE_CHECKING:
    from .redis_counts import RedisCounts

log = logging.getLogger(__name__)

_RETRY_SECONDS = 5
_UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}


class Rate(NamedTuple):
    """So many events in a window of so many seconds."""

    amount: int
    seconds: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the rate of a setting, such as `300/minute`."""
        amount, _, unit = text.partition("/")
        return cls(int(amount), _UNITS[unit])


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
        return self._storage.check()

    def count(self, rate: Rate, limit_name: str, subject: str) -> LimitStatus | None:
        """Count an event of a subject; None if the storage does not answer."""
        if time.monotonic() < self._retry_at:
            return None
        key = f"{limit_name}/{subject}/{rate.amount}/{rate.seconds}"
        try:
            number, left = self._storage.count(key, rate.seconds)
        except ConnectionError as error:
            self._retry_at = time.monotonic() + _RETRY_SECONDS
            log.warning(
                "rate_limit.storage does not answer, nothing is counted: %s",
                single_line_message(error),
            )
            return None
        reset = max(1, math.ceil(round(left, 3)))
        return LimitStatus(number <= rate.amount, max(0, rate.amount - number), reset)


def _open_storage(address: str) -> "MemoryCounts | RedisCounts":
    if address.startswith("memory:"):
        return MemoryCounts()
    try:
        from .redis_counts import RedisCounts

        return RedisCounts(address)
    except ImportError:
        raise SettingsError(
            "rate_limit.storage: a Redis needs its client; pip install 'forumsvc[redis]'"
        ) from None
    except ValueError as error:
        raise SettingsError(
            f"rate_limit.storage: the address of a Redis is wrong: {error}"
        ) from None
