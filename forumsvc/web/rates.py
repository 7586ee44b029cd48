"""How often an address may do what costs us something: open accounts, ask for mail."""

from limits import RateLimitItemPerHour

from ..errors import TooManyAttempts
from ..oauth.throttle import network
from ..settings import Settings
from .counting import Counter
from .request import ForumRequest

_MAILS_TO_ONE = 5
"""An hour: who asks for more has the link, or torments somebody."""


class Rates:
    """Counts by the hour."""

    def __init__(self, settings: Settings, counter: Counter) -> None:
        """Take what is allowed from the settings."""
        self._counter = counter
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
        standing = self._counter.count(self._mails, "mail", str(user_id))
        return standing is None or standing.is_allowed

    def _count(self, rate: RateLimitItemPerHour, what: str, request: ForumRequest) -> None:
        standing = self._counter.count(rate, what, network(request.remote_addr or ""))
        if standing is not None and not standing.is_allowed:
            wait = standing.reset
            raise TooManyAttempts(f"Too many attempts. Try again in {wait} seconds.", wait)
