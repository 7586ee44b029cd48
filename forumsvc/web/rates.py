"""How often an address may do what costs us something. Counted in each process by itself."""

from limits import RateLimitItemPerHour
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from ..errors import TooManyAttempts
from ..oauth.throttle import network
from ..settings import Settings
from .request import ForumRequest

_MAILS_TO_ONE = 5
"""An hour: who asks for more has the link, or torments somebody."""


class Rates:
    """Counts over the last hour."""

    def __init__(self, settings: Settings) -> None:
        """Start with nothing counted."""
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._registrations = RateLimitItemPerHour(settings["accounts.registrations_per_hour"])
        self._mail_requests = RateLimitItemPerHour(settings["mail.requests_per_hour"])
        self._mails = RateLimitItemPerHour(_MAILS_TO_ONE)

    def registration(self, request: ForumRequest) -> None:
        """Count an attempt to open an account. Raises TooManyAttempts."""
        self._count(self._registrations, "registration", request)

    def mail_request(self, request: ForumRequest) -> None:
        """Count a wish for mail, whatever becomes of it. Raises TooManyAttempts."""
        self._count(self._mail_requests, "mail request", request)

    def mail_to(self, user_id: int) -> bool:
        """Count a mail to a user; return whether it may be sent."""
        return self._limiter.hit(self._mails, "mail", str(user_id))

    def _count(self, rate: RateLimitItemPerHour, what: str, request: ForumRequest) -> None:
        who = network(request.remote_addr or "")
        if self._limiter.hit(rate, what, who):
            return
        until = self._limiter.get_window_stats(rate, what, who).reset_time
        wait = max(1, round(until - request.now.timestamp()))
        raise TooManyAttempts(f"Too many attempts. Try again in {wait} seconds.", wait)
