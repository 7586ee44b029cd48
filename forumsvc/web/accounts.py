"""Sign-ups and email addresses, for the API and the pages: limits, links, and the services."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from ..errors import Conflict, Forbidden, Invalid
from ..queries.rows import UserRow
from ..services.accounts import closures, email_confirmation, registration
from ..services.accounts.accounts import Account
from ..services.accounts.erasure.erasure import PostsErasure
from ..text.messages import Message
from .api.request import ForumRequest
from .reauthentication import reauthenticate


class Registered(NamedTuple):
    """A new account, and what it waits for before it may write."""

    account: Account
    must_confirm: bool
    awaits_approval: bool


def register(
    request: ForumRequest, values: Mapping[str, Any], next_path: str | None = None
) -> Registered:
    """Register an account, and send it a link if it has to confirm its address.

    values: of the form; next_path: where the page of the link goes on. Raises Invalid, Forbidden;
    RateLimited if its address has got many links.
    """
    is_suspicious = _check_sign_up(request, values["email"])
    must_confirm = email_confirmation.is_required(request.settings)
    awaits_approval = is_suspicious or registration.needs_approval(request.site_texts)
    account = registration.register(
        *(request.db, request.read_connection, request.site_texts.name),
        must_confirm=must_confirm,
        awaits_approval=awaits_approval,
        **values,
    )
    waiting = email_confirmation.find(request.db, account.id) if must_confirm else None
    if waiting is not None:
        # Only now: a sign-up that is refused sends nothing.
        request.registry.abuse_limits.count_mail_to(waiting.address)
        _send_link(request, account.id, waiting.address, next_path)
    return Registered(account, must_confirm, awaits_approval)


def send_again(request: ForumRequest) -> str:
    """Send the caller the link once more, and return the address.

    Raises Conflict if they have nothing to confirm, Forbidden where no email is sent, RateLimited.
    """
    waiting = email_confirmation.find(request.db, request.actor_id)
    if waiting is None:
        raise Conflict(Message("Your email address is confirmed already."))
    if not request.sends_mail:
        raise Forbidden("This site sends no email. Ask an administrator to confirm your address.")
    limits = request.registry.abuse_limits
    limits.count_mail_request(request)
    limits.count_mail_to(waiting.address)
    _send_link(request, request.actor_id, waiting.address)
    return waiting.address


def change_address(request: ForumRequest, user_id: int, email: str) -> bool:
    """Change the address of a user, who has given their password; tell whether a link was sent.

    The caller has counted the request (`count_mail_request`). Raises Invalid for an address that is
    not valid or taken, RateLimited.
    """
    limits = request.registry.abuse_limits
    _check_email(request, email, is_new_account=False)
    address = email_confirmation.change(
        *(request.db, user_id, email, request.now),
        must_confirm=email_confirmation.is_required(request.settings),
        may_mail=limits.allow_mail_to,
    )
    if address is None:
        return False
    limits.count_mail_to(address)
    _send_link(request, user_id, address)
    return True


def check_password(request: ForumRequest, row: UserRow) -> bool:
    """Check the password that a changed address needs, before the request's transaction.

    Returns whether there was one; without, the address stays as it is: many clients send all fields
    of the profile. Raises Invalid, RateLimited, PasswordsBusy.
    """
    sent = request.validated
    password = sent.get("password")
    if "email" not in sent or (password is None and sent["email"] == (row.email or "")):
        return False
    if password is None:
        raise Invalid("password", "is required to change the email address")
    request.registry.abuse_limits.count_mail_request(request)
    reauthenticate(request, row.user_login, password)
    return True


def close(request: ForumRequest, login_name: str, posts: PostsErasure) -> None:
    """Have the caller's account closed, whose password was checked. Raises Conflict."""
    closures.begin(
        *(request.db, request.now, login_name),
        after=timedelta(days=request.settings["accounts.closure_days"]),
        posts=posts,
        url=request.site.base_url + request.route_path("login"),
        language=request.locale_name,
    )


def _send_link(
    request: ForumRequest, user_id: int, address: str, next_path: str | None = None
) -> None:
    email_confirmation.send_link(
        *(request.db, user_id, address, request.now),
        url=request.site.base_url + request.route_path("confirm_email"),
        language=request.locale_name,
        next_path=next_path,
    )


def _check_sign_up(request: ForumRequest, email: str) -> bool:
    """Refuse somebody who signs up from a blocked network or with a blocked email address.

    Return whether the account needs approval. Raises Forbidden; Invalid for `email`.
    """
    networks = request.registry.blocked_networks
    networks.refresh(request.executor, now=True)
    is_suspicious = registration.check_address(networks, request.remote_addr or "", request.now)
    return _check_email(request, email, is_new_account=True) or is_suspicious


def _check_email(request: ForumRequest, email: str, *, is_new_account: bool) -> bool:
    reads, domains = request.read_connection, request.registry.email_domains
    return registration.check_email_blocks(
        *(reads, domains, email, request.now),
        secret=request.settings["session.secret"],
        is_new_account=is_new_account,
    )
