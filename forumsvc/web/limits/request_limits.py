"""Rate limits of the API and their headers (draft-ietf-httpapi-ratelimit-headers-10)."""

from functools import lru_cache
from typing import Any, NamedTuple

from ...errors import too_many
from ...security.identity import Identity
from ...settings import Settings
from ...text.ip_addresses import client_network
from ..api.request import ForumRequest
from ..pipeline.transactions import is_unsafe
from .rate_limiter import Rate, RateLimiter

_HEADERS_SENT = "forumsvc.rate_limit"
_network = lru_cache(4096)(client_network)


class _Policy(NamedTuple):
    """One limit. is_application: it counts a user at one application; else the caller."""

    name: str
    rate: Rate
    is_application: bool = False

    @property
    def header_value(self) -> str:
        """The policy for the header: q requests in w seconds."""
        return f'"{self.name}";q={self.rate.amount};w={self.rate.seconds}'


class RequestLimits:
    """Counts the requests to the API by their callers."""

    def __init__(self, settings: Settings, rate_limiter: RateLimiter) -> None:
        self._rate_limiter = rate_limiter
        requests = _policy(settings, "default", "rate_limit.requests")
        writes = _policy(settings, "writes", "rate_limit.writes")
        by_application = _policy(settings, "application", "rate_limit.application_requests")
        writes_by_application = _policy(
            settings, "application_writes", "rate_limit.application_writes"
        )
        # Those of the application first: a request that they refuse is not counted for the user.
        self._by_safety = {
            False: by_application + requests,
            True: by_application + writes_by_application + requests + writes,
        }

    def count(self, request: ForumRequest) -> None:
        """Count a request of `request.caller`, or of its address without a caller.

        The response gets the headers of the limits, whatever it is. Raises RateLimited.
        """
        policies = _applicable(self._by_safety[is_unsafe(request)], request.caller)
        if not policies:
            return
        if _HEADERS_SENT in request.environ:
            # A retry of the same request.
            _add_headers(request, request.environ[_HEADERS_SENT])
            return
        remaining, wait = [], 0
        for policy in policies:
            subject = _subject(request, policy)
            status = self._rate_limiter.count(policy.rate, policy.name, subject)
            if status is None:
                return
            remaining.append(f'"{policy.name}";r={status.remaining};t={status.reset}')
            if not status.is_allowed:
                wait = status.reset
                break
        headers = {
            "RateLimit-Policy": ", ".join(policy.header_value for policy in policies),
            "RateLimit": ", ".join(remaining),
        }
        _add_headers(request, headers)
        if wait:
            raise too_many("Too many requests. Try again in %(seconds)d seconds.", wait)


def _policy(settings: Settings, name: str, setting: str) -> tuple[_Policy, ...]:
    rate = settings[setting]
    if rate is None:
        return ()
    return (_Policy(name, Rate.parse(rate), setting.startswith("rate_limit.application_")),)


def _applicable(policies: tuple[_Policy, ...], caller: Identity | None) -> tuple[_Policy, ...]:
    """Return the policies for a caller; only users have those of applications."""
    if caller is not None and caller.user_id is not None:
        return policies
    return tuple(policy for policy in policies if not policy.is_application)


def _subject(request: ForumRequest, policy: _Policy) -> str:
    caller, subject = request.caller, subject_of(request)
    if policy.is_application and caller is not None:
        return f"client {caller.client_id} {subject}"
    return subject


def subject_of(request: ForumRequest) -> str:
    """Return who is counted: the caller, or the address without one."""
    caller = request.caller
    if caller is None:
        return f"address {_network(request.remote_addr or '')}"
    # Not the token, so that a new token gains nothing; nor the application that a member has
    # registered, so that ten of them gain nothing.
    user_id = caller.client_owner_id if caller.user_id is None else caller.user_id
    return f"client {caller.client_id}" if user_id is None else f"user {user_id}"


def is_counted_already(request: ForumRequest, name: str) -> bool:
    """Return whether an earlier attempt at the same request was counted; remember this one."""
    attempt = request.environ.get("retry.attempt")
    first: int | None = request.environ.setdefault(f"forumsvc.counted.{name}", attempt)
    return first != attempt


def _add_headers(request: ForumRequest, headers: dict[str, str]) -> None:
    def add(request: ForumRequest, response: Any) -> None:
        response.headers.update(headers)

    request.environ[_HEADERS_SENT] = headers
    request.add_response_callback(add)
