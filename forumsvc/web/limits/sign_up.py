"""Who may sign up, or have another email address: the blocks and the operator's file."""

from ...services.access import sign_up
from ..api.request import ForumRequest


def check_sign_up(request: ForumRequest, email: str) -> bool:
    """Refuse somebody who signs up from a blocked network or with a blocked email address.

    Return whether the account needs approval. Raises Forbidden; Invalid for `email`.
    """
    networks = request.registry.blocked_networks
    networks.refresh(request.executor, now=True)
    is_suspicious = sign_up.check_address(networks, request.remote_addr or "", request.now)
    return _check_email(request, email, is_new_account=True) or is_suspicious


def check_changed_email(request: ForumRequest, email: str) -> None:
    """Refuse a user's new email address if it is blocked. Raises Invalid for `email`."""
    _check_email(request, email, is_new_account=False)


def _check_email(request: ForumRequest, email: str, *, is_new_account: bool) -> bool:
    reads, domains = request.read_connection, request.registry.email_domains
    return sign_up.check_email(reads, domains, email, request.now, is_new_account=is_new_account)
