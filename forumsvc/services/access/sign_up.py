"""From where, and with which email address, somebody may sign up."""

from collections.abc import Set
from datetime import datetime

from ...db.execution import SqlConnection
from ...email_addresses import NOT_AN_EMAIL
from ...errors import Forbidden, Invalid
from ...models import AccessBlockSeverity
from ...queries import access_blocks
from . import values
from .networks import BlockedNetworks, refuses_sign_up


def check_address(networks: BlockedNetworks, address: str, now: datetime) -> bool:
    """Return whether an account from a client's address needs approval.

    networks: refreshed just now. Raises Forbidden if nobody may sign up from there.
    """
    severity = networks.severity_of(address, now)
    if severity is not None and refuses_sign_up(severity):
        raise Forbidden("Sign-up from your network is not possible.")
    return severity is not None


def check_email(
    reads: SqlConnection,
    domains: Set[str],
    email: str,
    now: datetime,
    *,
    is_new_account: bool,
) -> bool:
    """Return whether a new account with this address needs approval.

    domains: those of the operator's file; is_new_account: whether somebody signs up, else a user
    changes the address. Raises Invalid for `email` if it is no address, or no account may have it.
    """
    normal = values.normal_email(email)
    if normal is None:
        raise Invalid("email", NOT_AN_EMAIL)
    parts = values.domain_and_parents(normal.rpartition("@")[2])
    severities = access_blocks.severities_of_email(reads, normal, parts, now)
    is_blocked = any(refuses_sign_up(AccessBlockSeverity(each)) for each in severities)
    if not is_blocked and domains.isdisjoint(parts):
        return bool(severities)
    if is_new_account:
        raise Invalid("email", "cannot be used to sign up here")
    raise Invalid("email", "cannot be used here")
