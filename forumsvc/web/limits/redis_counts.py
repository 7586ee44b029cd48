"""Counters in a Redis, each with an expiry time, which all processes share."""

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

_PREFIX = "forumsvc"
_TIMEOUT_SECONDS = 0.25


class RedisCounts:
    """See `MemoryCounts`."""

    def __init__(self, address: str) -> None:
        """address: of `rate_limit.storage`. Raises ValueError if it is wrong; connects later."""
        self._client = redis.Redis.from_url(
            address.removeprefix("redis+"),
            socket_timeout=_TIMEOUT_SECONDS,
            socket_connect_timeout=_TIMEOUT_SECONDS,
            retry=Retry(NoBackoff(), 1),
        )

    def check(self) -> bool:
        try:
            return bool(self._client.ping())
        except redis.RedisError:
            return False

    def count(self, key: str, seconds: int) -> tuple[int, float]:
        """See `MemoryCounts.count`. Raises ConnectionError if the Redis does not answer."""
        key = f"{_PREFIX}/{key}"
        try:
            # One transaction, in which no key expires: each count has an end.
            with self._client.pipeline() as commands:
                commands.set(key, 0, ex=seconds, nx=True)
                commands.incr(key)
                commands.pttl(key)
                _, number, milliseconds = commands.execute()
        except redis.RedisError as error:
            raise ConnectionError(str(error)) from error
        return number, milliseconds / 1000
