"""How often the API may be called, and telling it (draft-ietf-httpapi-ratelimit-headers-10)."""

from functools import lru_cache
from typing import Any, NamedTuple

from limits import RateLimitItem, parse

from ..errors import TooManyAttempts
from ..oauth.throttle import network
from ..settings import Settings
from .counting import Counter
from .database import is_unsafe
from .request import ForumRequest

_TOLD = "forumsvc.rate_limit"
_network = lru_cache(4096)(network)


class _Policy(NamedTuple):
    name: str
    rate: RateLimitItem

    @property
    def told(self) -> str:
        """The policy as the header has it: q, so many requests, in w seconds."""
        return f'"{self.name}";q={self.rate.amount};w={self.rate.get_expiry()}'


class RequestRates:
    """Counts the calls of the API by who calls."""

    def __init__(self, settings: Settings, counter: Counter) -> None:
        """Take what is allowed from the settings."""
        self._counter = counter
        reading = _policies(settings, default="rates.requests")
        writing = reading + _policies(settings, writes="rates.writes")
        self._by_safety = {False: reading, True: writing}

    def count(self, request: ForumRequest) -> None:
        """Count a request of `request.caller`, or of its address where that is nobody.

        What is left is told by the answer, whatever that is. Raises TooManyAttempts.
        """
        policies = self._by_safety[is_unsafe(request)]
        if not policies:
            return
        if _TOLD in request.environ:
            # Another attempt of ours at the same request.
            _tell(request, request.environ[_TOLD])
            return
        who, told, wait = _who(request), [], 0
        for policy in policies:
            standing = self._counter.count(policy.rate, policy.name, who)
            if standing is None:
                return
            told.append(f'"{policy.name}";r={standing.remaining};t={standing.reset}')
            if not standing.is_allowed:
                wait = standing.reset
                break
        headers = {
            "RateLimit-Policy": ", ".join(policy.told for policy in policies),
            "RateLimit": ", ".join(told),
        }
        _tell(request, headers)
        if wait:
            raise TooManyAttempts(f"Too many requests. Try again in {wait} seconds.", wait)


def _policies(settings: Settings, **names: str) -> tuple[_Policy, ...]:
    return tuple(
        _Policy(name, parse(settings[setting]))
        for name, setting in names.items()
        if settings[setting] is not None
    )


def _who(request: ForumRequest) -> str:
    caller = request.caller
    if caller is None:
        return f"address {_network(request.remote_addr or '')}"
    # Not the token: it would start anew with each that is fetched.
    return f"client {caller.client_id} user {caller.user_id}"


def _tell(request: ForumRequest, headers: dict[str, str]) -> None:
    def tell(request: ForumRequest, response: Any) -> None:
        response.headers.update(headers)

    request.environ[_TOLD] = headers
    request.add_response_callback(tell)
