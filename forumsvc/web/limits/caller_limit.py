"""Limits of what costs more than other requests: searches, and reports to moderators."""

from collections.abc import Callable

from ...errors import RateLimited, too_many
from ..api.request import ForumRequest
from .rate_limiter import Rate, RateLimiter
from .request_limits import is_counted_already, subject_of


class CallerLimit:
    """Counts how often each caller does something."""

    def __init__(
        self,
        rate: str | None,
        name: str,
        refusal: Callable[[int], RateLimited],
        rate_limiter: RateLimiter,
    ) -> None:
        """rate: such as `30/minute`, None for no limit; refusal: the error for so many seconds."""
        self._rate = None if rate is None else Rate.parse(rate)
        self._name = name
        self._refusal = refusal
        self._rate_limiter = rate_limiter

    def count(self, request: ForumRequest) -> None:
        """Count a request, however often it is tried. Raises RateLimited."""
        if self._rate is None or is_counted_already(request, self._name):
            return
        status = self._rate_limiter.count(self._rate, self._name, subject_of(request))
        if status is not None and not status.is_allowed:
            raise self._refusal(status.reset)


def too_many_searches(seconds: int) -> RateLimited:
    """Return the error for another search."""
    return too_many("Too many searches. Try again in %(seconds)d seconds.", seconds)


def too_many_reports(seconds: int) -> RateLimited:
    """Return the error for another report."""
    return too_many("Too many reports. Try again in %(seconds)d seconds.", seconds)
