"""The limit of searches, which cost more than other reads."""

from limits import parse

from ...errors import too_many
from ...settings import Settings
from ..api.request import ForumRequest
from .rate_limiter import RateLimiter
from .request_limits import subject_of


class SearchLimit:
    """Counts the searches of each caller."""

    def __init__(self, settings: Settings, rate_limiter: RateLimiter) -> None:
        rate = settings["rate_limit.searches"]
        self._rate = None if rate is None else parse(rate)
        self._rate_limiter = rate_limiter

    def count(self, request: ForumRequest) -> None:
        """Count a search. Raises RateLimited."""
        if self._rate is None:
            return
        status = self._rate_limiter.count(self._rate, "searches", subject_of(request))
        if status is not None and not status.is_allowed:
            wait = status.reset
            raise too_many("Too many searches. Try again in %(seconds)d seconds.", wait)
