"""`forumsvc user …`: accounts."""

from collections.abc import Sequence
from typing import Any

import click
from sqlalchemy import Row

from .. import clock
from ..models import Role, UserState
from ..queries import accounts as reading
from ..services import site_texts
from ..services.accounts import (
    accounts,
    email_confirmation,
    invitations,
    login_names,
    registration,
)
from ..services.accounts.accounts import Account
from ..services.moderation import restrictions, reviews
from ..text.ids import MAX_ID
from . import avatars
from .command import Group
from .context import Context, pass_context
from .options import (
    limit_option,
    logins_argument,
    one_of,
    password_options,
    read_password,
    yes_option,
)
from .personal_data import edit, erase, export, password_link
from .restrictions import silence, sweep, unsilence, warn
from .terminal import picked
from .user_mail import mail

_COLUMNS = (
    *("id", "login", "name", "email", "role", "state"),
    *("topics_count", "replies_count", "created_at"),
)
_DETAILS = (
    *(*_COLUMNS, "email_confirmed_at", "unconfirmed_email", "blocked_until", "blocked_reason"),
    *("closes_at", "closure_posts", "updated_at", "sessions", "tokens", "applications"),
)
ROLES = one_of(Role)

after_option = click.option(
    "--after",
    metavar="ID",
    type=click.IntRange(0, MAX_ID),
    default=0,
    help="Go on behind this user, where the page before ended.",
)


user = Group("user")


user.add_command(silence)
user.add_command(unsilence)
user.add_command(warn)
user.add_command(sweep)
user.add_command(edit)
user.add_command(erase)
user.add_command(export)
user.add_command(password_link)
user.add_command(mail)


@user.command("list")
@click.option("--role", type=ROLES, help="Only those of this role.")
@click.option("--state", type=one_of(UserState), help="Only those in this state.")
@click.option(
    "--search",
    "text",
    metavar="Q",
    help="Only those whose login, name or email has Q.",
)
@limit_option
@after_option
@pass_context
def list_(
    context: Context,
    role: str | None,
    state: str | None,
    text: str | None,
    limit: int,
    after: int,
) -> None:
    """List users, the oldest account first."""
    with context.current_database().reads.connect() as db:
        rows = reading.listing(
            db,
            role=Role(role) if role else None,
            state=UserState(state) if state else None,
            text=text,
            after_id=after,
            limit=limit + 1,
        )
    _output_page(context, rows, limit)


@user.command()
@click.argument("login")
@pass_context
def show(context: Context, login: str) -> None:
    """Show the details of a user."""
    with context.current_database().reads.connect() as db:
        results = reading.details(db, accounts.find(db, login).id, clock.now())
    [result] = picked([results], _DETAILS)
    context.output_details(result)


@user.command()
@click.argument("login")
@click.option("--email", metavar="E", help="The email address; none where left out.")
@password_options
@click.option("--name", metavar="N", default="", help="What is shown in place of the login.")
@click.option("--role", type=ROLES, default=Role.MEMBER.value, show_default=True)
@pass_context
def add(
    context: Context,
    login: str,
    email: str | None,
    password: str | None,
    password_stdin: bool,
    name: str,
    role: str,
) -> None:
    """Add a user."""
    # Before prompting for a password, which an invalid login does not need.
    login_names.check_login(login)
    password = read_password(password, password_stdin)
    registration.check_new_password(_site_name(context), "password", password, login, email)
    with context.transaction() as db:
        added = invitations.add(
            *(db, None, clock.now(), login, password), email=email, name=name, role=Role(role)
        )
    context.output(
        f"Added {added.login}, user {added.id}, {added.role}.",
        id=added.id,
        login=added.login,
        role=added.role,
    )


@user.command()
@click.argument("login")
@click.argument("role", type=ROLES)
@pass_context
def role(context: Context, login: str, role: str) -> None:
    """Set the role of a user."""
    with context.transaction() as db:
        changed = accounts.set_role(db, None, clock.now(), login, Role(role))
    _output(context, changed, f"{changed.login} is {changed.role} now.")


@user.command()
@logins_argument
@pass_context
def block(context: Context, logins: tuple[str, ...]) -> None:
    """Block users: they may only read. If one of them cannot be blocked, nobody is."""
    with context.transaction() as db:
        changed = [
            restrictions.silence_without_reason(db, login)
            for login in accounts.in_order(db, logins)
        ]
    _output_all(context, changed, "is blocked now")


@user.command()
@logins_argument
@pass_context
def unblock(context: Context, logins: tuple[str, ...]) -> None:
    """Unblock users. If one of them cannot be unblocked, nobody is."""
    with context.transaction() as db:
        changed = [
            restrictions.end_silence_by_login(db, login) for login in accounts.in_order(db, logins)
        ]
    _output_all(context, changed, "is active now")


@user.command()
@click.argument("login")
@pass_context
def confirm(context: Context, login: str) -> None:
    """Confirm the email address of a user who gets no emails."""
    with context.transaction() as db:
        email = email_confirmation.confirm_as_admin(db, login, clock.now())
        account = accounts.find(db, login)
    context.output(
        f"{email} is the confirmed email address of {account.login} now.",
        **_of_account(account),
        email=email,
    )


@user.command()
@click.argument("login")
@yes_option
@pass_context
def delete(context: Context, login: str, yes: bool) -> None:
    """Delete a user: the account and profile are removed, topics and replies stay."""
    with context.current_database().reads.connect() as db:
        result = reading.details(db, accounts.find(db, login).id, clock.now())
    if result.state != UserState.DELETED:
        context.confirm(_consequences(result), yes=yes)
    with context.transaction() as db:
        reviews.close_account_review(db, clock.now(), result.id)
        changed, avatar = accounts.delete(db, login)
    avatars.remove(context, [avatar] if avatar else [])
    _output(context, changed, f"{changed.login} is deleted.")


@user.command()
@click.argument("login")
@password_options
@pass_context
def password(context: Context, login: str, password: str | None, password_stdin: bool) -> None:
    """Set a user's password and end their log-ins."""
    password = read_password(password, password_stdin)
    with context.current_database().reads.connect() as db:
        result = reading.details(db, accounts.find(db, login).id, clock.now())
    login_and_email = result.login, result.email
    registration.check_new_password(_site_name(context), "password", password, *login_and_email)
    with context.transaction() as db:
        changed = accounts.reset_password(db, login, password)
    _output(context, changed, f"{changed.login} has a new password, and must log in again.")


def _site_name(context: Context) -> str:
    return site_texts.name_of(context.current_database().executor, context.settings)


def _consequences(user: Row[Any]) -> str:
    return (
        f"Deleting {user.login} (user {user.id}, {user.role}) cannot be undone. It removes the "
        f"email address, the profile with its avatar, the password, {user.sessions} sessions, "
        f"{user.tokens} tokens, and the authorizations of {user.applications} applications. "
        f"Their {user.topics_count} topics and {user.replies_count} replies stay."
    )


def _output_page(context: Context, rows: Sequence[Row[Any]], limit: int) -> None:
    """Print a page of users; `rows` has one more than `limit` if there are more."""
    page = rows[:limit]
    following = page[-1].id if len(rows) > limit else None
    users = picked(page, _COLUMNS)
    context.output_list("users", users, "There are no such users.", after=following)
    if following is not None and not context.as_json:
        click.echo(f"There are more: --after {following}", err=True)


def _output_all(context: Context, changed: Sequence[Account], change: str) -> None:
    """Print what became of each; the JSON object is that of the account where there is one."""
    accounts = [_of_account(item) for item in changed]
    result = accounts[0] if len(accounts) == 1 else {"users": accounts}
    context.output("\n".join(f"{account.login} {change}." for account in changed), **result)


def _output(context: Context, account: Account, text: str) -> None:
    context.output(text, **_of_account(account))


def _of_account(account: Account) -> dict[str, Any]:
    return picked([account], ("id", "login", "role", "state"))[0]
