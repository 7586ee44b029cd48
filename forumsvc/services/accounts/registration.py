"""Registration: creating an account without an administrator."""

from collections.abc import Callable, Set
from datetime import datetime

from sqlalchemy.orm import Session

from ...clock import now
from ...db.execution import SqlConnection
from ...errors import AlreadyTaken, Forbidden, Invalid
from ...models import AccessBlockSeverity, Registration, ReviewKind
from ...process.passwords import weakness
from ...queries import access_blocks
from ...text.email_addresses import NOT_AN_EMAIL
from ...text.error_codes import ErrorCode
from ...text.messages import Message
from ..access import values
from ..access.networks import BlockedNetworks, refuses_sign_up
from ..moderation import reviews
from ..site_texts import SiteTexts
from . import accounts
from .login_names import check_own_login

_CLOSED = Message("Registration is closed here; ask an administrator for an account.").coded(
    ErrorCode.REGISTRATION_CLOSED
)
_BLOCKED = Message("Sign-up from your network is not possible.").coded(ErrorCode.NETWORK_BLOCKED)


def is_open(site: SiteTexts) -> bool:
    return site.registration != Registration.CLOSED


def needs_approval(site: SiteTexts) -> bool:
    """Return whether a moderator has to approve each new account."""
    return site.registration == Registration.APPROVAL


def check_open(site: SiteTexts) -> None:
    """Raise Forbidden if only administrators create accounts."""
    if not is_open(site):
        raise Forbidden(_CLOSED)


def check_address(networks: BlockedNetworks, address: str, now: datetime) -> bool:
    """Return whether an account from a client's address needs approval.

    networks: refreshed just now. Raises Forbidden if nobody may sign up from there.
    """
    severity = networks.severity_of(address, now)
    if severity is not None and refuses_sign_up(severity):
        raise Forbidden(_BLOCKED)
    return severity is not None


def check_email_blocks(
    reads: SqlConnection,
    domains: Set[str],
    email: str,
    now: datetime,
    *,
    secret: str,
    is_new_account: bool,
) -> bool:
    """Return whether a new account with this address needs approval.

    domains: those of the operator's file; secret: `session.secret`; is_new_account: whether
    somebody signs up, else a user changes the address. Raises Invalid for `email` if it is no
    address, or no account may have it.
    """
    normal = values.normal_email(email)
    if normal is None:
        raise Invalid("email", NOT_AN_EMAIL)
    forms = [normal, values.email_digest(secret, normal)]
    parts = values.domain_and_parents(normal.rpartition("@")[2])
    severities = access_blocks.severities_of_email(reads, forms, parts, now)
    is_blocked = any(refuses_sign_up(AccessBlockSeverity(severity)) for severity in severities)
    if not is_blocked and domains.isdisjoint(parts):
        return bool(severities)
    if is_new_account:
        raise Invalid("email", "cannot be used to sign up here")
    raise Invalid("email", "cannot be used here")


def check_new_password(
    site_name: str, field: str, password: str, login: str, email: str | None
) -> str:
    """Return a password as `accounts.check_password` does; Invalid, too, if it is easily guessed.

    site_name: of the forum; login, email: of its owner.
    """
    password = accounts.check_password(password, field=field)
    if reason := weakness(password, (login, email or "", site_name)):
        raise Invalid(field, reason)
    return password


def problems(
    reads: SqlConnection, site_name: str, *, login: str, email: str, password: str
) -> dict[str, str]:
    """Return all that `register` would refuse, by field: a form shows it at once."""
    return reasons_of(
        lambda: check_own_login(login),
        lambda: accounts.check_email(email),
        lambda: check_new_password(site_name, "password", password, login, email),
        lambda: accounts.check_available(reads, login, None),
        lambda: accounts.check_available(reads, "", email),
    )


def reasons_of(*checks: Callable[[], object]) -> dict[str, str]:
    """Return the reason of the first check that fails of each field, by field."""
    reasons: dict[str, str] = {}
    for check in checks:
        try:
            check()
        except Invalid as error:
            reasons.setdefault(error.field, error.reason)
        except AlreadyTaken as error:
            reasons.setdefault(error.field, "is taken")
    return reasons


def register(
    db: Session,
    reads: SqlConnection,
    site_name: str,
    *,
    login: str,
    email: str,
    password: str,
    must_confirm: bool,
    awaits_approval: bool = False,
) -> accounts.Account:
    """Create an active member and return the account.

    reads: checks whether login and e-mail are available, before the password is hashed;
    must_confirm: the account may only read until its e-mail is confirmed (`email_confirmation`);
    awaits_approval: it may only read until a moderator has approved it, who gets a review.
    Raises Invalid for the field that is not valid, easily guessed, or taken.
    """
    check_own_login(login)
    email = accounts.check_email(email)
    check_new_password(site_name, "password", password, login, email)
    try:
        accounts.check_available(reads, login, email)
        account = accounts.create(
            *(db, login, password),
            email=email,
            is_confirmed=not must_confirm,
            awaits_approval=awaits_approval,
        )
    except AlreadyTaken as error:
        raise Invalid(error.field, "is taken") from None
    if awaits_approval:
        key = reviews.account_key(account.id)
        reviews.open_review(db, now(), ReviewKind.ACCOUNT, key, account.id)
    return account
