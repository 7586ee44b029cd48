"""Limits against abuse: how often an address may register, request mail or request tokens."""

from hashlib import sha256

from ...errors import too_many
from ...services.access.values import normal_email
from ...settings import Settings
from ...text.ip_addresses import client_network
from ..api.request import ForumRequest
from .rate_limiter import LimitStatus, Rate, RateLimiter
from .request_limits import is_counted_already

_HOUR = 3600
_MAILS_PER_ADDRESS = 5
"""An hour, and as many links to a new password. More would only annoy its owner."""


class AbuseLimits:
    """Limits registrations and mail by the hour, tokens as the settings say."""

    def __init__(self, settings: Settings, rate_limiter: RateLimiter) -> None:
        self._rate_limiter = rate_limiter
        self._registrations = Rate(settings["accounts.registrations_per_hour"], _HOUR)
        self._mail_requests = Rate(settings["mail.requests_per_hour"], _HOUR)
        self._mails = Rate(_MAILS_PER_ADDRESS, _HOUR)
        token = settings["rate_limit.token"]
        self._tokens = None if token is None else Rate.parse(token)

    def count_registration(self, request: ForumRequest) -> None:
        """Count an attempt to register. Raises RateLimited."""
        self._count_request(self._registrations, "registration", request)

    def count_mail_request(self, request: ForumRequest) -> None:
        """Count a request for mail, whatever its outcome. Raises RateLimited."""
        self._count_request(self._mail_requests, "mail request", request)

    def count_token_request(self, client_id: str, address: str) -> None:
        """Count a request at the token endpoint by an authenticated client.

        Raises RateLimited.
        """
        if self._tokens is not None:
            self._count(self._tokens, f"token of {client_id}", address)

    def allow_mail_to(self, email: str) -> bool:
        """Count a mail to an address; return whether it may be sent."""
        return _is_allowed(self._count_mail(email))

    def allow_reset_mail_to(self, email: str) -> bool:
        """Count a request for a new password of an address; return whether a mail may be sent.

        Apart from other mails: whether an account has the address is not known here, and without
        one nothing is sent, so it must not keep its owner from signing up.
        """
        return _is_allowed(self._count_mail(email, "reset mail"))

    def count_mail_to(self, email: str) -> None:
        """Count a mail to an address that its owner may be told of. Raises RateLimited."""
        _check(self._count_mail(email))

    def _count_mail(self, email: str, limit_name: str = "mail") -> LimitStatus | None:
        name, at, domain = (normal_email(email) or email.lower()).rpartition("@")
        # At any host: that `name+tag` may be another mailbox somewhere does no harm here.
        mailbox = (name.partition("+")[0] or name) + at + domain
        # Hashed, because the counts may be stored outside of this process.
        address = sha256(mailbox.encode()).hexdigest()
        return self._rate_limiter.count(self._mails, limit_name, address)

    def _count_request(self, rate: Rate, name: str, request: ForumRequest) -> None:
        """Count a request of an address, however often it is tried."""
        if not is_counted_already(request, name):
            self._count(rate, name, request.remote_addr or "")

    def _count(self, rate: Rate, limit_name: str, address: str) -> None:
        _check(self._rate_limiter.count(rate, limit_name, client_network(address)))


def _is_allowed(status: LimitStatus | None) -> bool:
    return status is None or status.is_allowed


def _check(status: LimitStatus | None) -> None:
    if status is not None and not _is_allowed(status):
        raise too_many("Too many attempts. Try again in %(seconds)d seconds.", status.reset)
