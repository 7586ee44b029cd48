"""`forumsvc user …`: accounts."""

from typing import Any

import click

from ..models import Role
from ..services import accounts
from ..services.accounts import Account
from .command import Group
from .context import Context, ask_password, pass_context

ROLES = click.Choice([role.value for role in Role])


@click.group(cls=Group)
def user() -> None:
    """Add users, trust them, stop them."""


@user.command()
@click.argument("login")
@click.option("--email", metavar="E", help="The e-mail address; none where left out.")
@click.option("--password", metavar="P", help="Asked for on a terminal where left out.")
@click.option("--name", metavar="N", default="", help="What is shown in place of the login.")
@click.option("--role", type=ROLES, default=Role.MEMBER.value, show_default=True)
@pass_context
def add(
    context: Context, login: str, email: str | None, password: str | None, name: str, role: str
) -> None:
    """Add a user."""
    # Before the password is asked for: a login that cannot be needs none.
    accounts.check_login(login)
    password = ask_password(password)
    with context.transaction() as db:
        added = accounts.create(db, login, password, email=email, name=name, role=Role(role))
    context.answer(
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
    """Give a user a role."""
    with context.transaction() as db:
        changed = accounts.set_role(db, login, Role(role))
    _answer(context, changed, f"{changed.login} is {changed.role} now.")


@user.command()
@click.argument("login")
@pass_context
def block(context: Context, login: str) -> None:
    """Let a user only read from now on."""
    with context.transaction() as db:
        changed = accounts.block(db, login)
    _answer(context, changed, f"{changed.login} is blocked now.")


@user.command()
@click.argument("login")
@pass_context
def unblock(context: Context, login: str) -> None:
    """Let a blocked user take part again."""
    with context.transaction() as db:
        changed = accounts.unblock(db, login)
    _answer(context, changed, f"{changed.login} is active now.")


@user.command()
@click.argument("login")
@pass_context
def delete(context: Context, login: str) -> None:
    """Delete a user; what they wrote stays."""
    with context.transaction() as db:
        changed = accounts.delete(db, login)
    _answer(context, changed, f"{changed.login} is deleted.")


@user.command()
@click.argument("login")
@click.option("--password", metavar="P", help="Asked for on a terminal where left out.")
@pass_context
def password(context: Context, login: str, password: str | None) -> None:
    """Give a user a new password and end their log-ins."""
    password = ask_password(password)
    with context.transaction() as db:
        changed = accounts.set_password(db, login, password)
    _answer(context, changed, f"{changed.login} has a new password, and must log in again.")


def _answer(context: Context, account: Account, shown: str) -> None:
    result: dict[str, Any] = {
        "id": account.id,
        "login": account.login,
        "role": account.role,
        "state": account.state,
    }
    context.answer(shown, **result)
