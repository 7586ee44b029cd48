"""How often an address may do what costs us something: open accounts, ask for mail or tokens."""

from limits import RateLimitItem, RateLimitItemPerHour, parse

from ...errors import RateLimited
from ...oauth.throttle import rate_limit_network
from ...settings import Settings
from ..api.request import ForumRequest
from .rate_limiter import Counter

_MAILS_TO_ONE = 5
"""An hour: who asks for more has the link, or torments somebody."""


class Rates:
    """Counts accounts and mail by the hour, tokens as the settings say."""

    def __init__(self, settings: Settings, counter: Counter) -> None:
        """Take what is allowed from the settings."""
        self._counter = counter
        self._registrations = RateLimitItemPerHour(settings["accounts.registrations_per_hour"])
        self._mail_requests = RateLimitItemPerHour(settings["mail.requests_per_hour"])
        self._mails = RateLimitItemPerHour(_MAILS_TO_ONE)
        token = settings["rates.token"]
        self._tokens = None if token is None else parse(token)

    def registration(self, request: ForumRequest) -> None:
        """Count an attempt to open an account. Raises RateLimited."""
        self._count(self._registrations, "registration", request.remote_addr or "")

    def mail_request(self, request: ForumRequest) -> None:
        """Count a wish for mail, whatever becomes of it. Raises RateLimited."""
        self._count(self._mail_requests, "mail request", request.remote_addr or "")

    def token_request(self, client_id: str, address: str) -> None:
        """Count a request at the token endpoint, of a client that was recognized.

        Raises RateLimited.
        """
        if self._tokens is not None:
            self._count(self._tokens, f"token of {client_id}", address)

    def mail_to(self, user_id: int) -> bool:
        """Count a mail to a user; return whether it may be sent."""
        standing = self._counter.count(self._mails, "mail", str(user_id))
        return standing is None or standing.is_allowed

    def _count(self, rate: RateLimitItem, what: str, address: str) -> None:
        standing = self._counter.count(rate, what, rate_limit_network(address))
        if standing is not None and not standing.is_allowed:
            wait = standing.reset
            raise RateLimited(f"Too many attempts. Try again in {wait} seconds.", wait)
