"""`forumsvc user silence`, `unsilence`, `warn` and `sweep`."""

from datetime import timedelta

import click

from .. import clock
from ..errors import Conflict
from ..models import Role, SweepAction
from ..queries.rows import UserRow
from ..services.accounts import accounts
from ..services.moderation import restrictions
from ..services.moderation import sweeps as sweep_service
from .command import Command
from .context import Context, pass_context
from .options import check_texts, days_option, parse_moment, yes_option

reason_option = click.option("--reason", metavar="R", required=True, help="Why; the user is told.")
note_option = click.option("--note", metavar="N", default="", help="For moderators only.")


@click.command(cls=Command)
@click.argument("logins", metavar="LOGIN...", nargs=-1, required=True)
@days_option
@reason_option
@note_option
@pass_context
def silence(
    context: Context, logins: tuple[str, ...], days: int | None, reason: str, note: str
) -> None:
    """Let users only read, for some days or for ever, and tell them why.

    If one of them cannot be silenced, nobody is.
    """
    now = clock.now()
    until = None if days is None else now + timedelta(days=days)
    reason, note = check_texts(reason, note)
    with context.transaction() as db:
        for login in accounts.in_order(db, logins):
            user = accounts.lock(db, login)
            _check_role(user)
            restrictions.silence(db, None, now, user, reason=reason, until=until, note=note)
    ending = "for ever" if until is None else f"until {clock.rfc3339(until)}"
    lines = [f"{login} can only read {ending}." for login in logins]
    context.output("\n".join(lines), logins=logins, until=until)


@click.command(cls=Command)
@click.argument("login")
@click.option("--reason", metavar="R", default="", help="Why; the user is told.")
@pass_context
def unsilence(context: Context, login: str, reason: str) -> None:
    """Let a silenced or blocked user write again."""
    reason, _ = check_texts(reason, is_required=False)
    with context.transaction() as db:
        account = restrictions.end_silence_by_login(db, login, reason=reason or None)
    context.output(f"{account.login} can write.", login=account.login, state=account.state)


@click.command(cls=Command)
@click.argument("login")
@reason_option
@note_option
@pass_context
def warn(context: Context, login: str, reason: str, note: str) -> None:
    """Tell a user what they must not do."""
    reason, note = check_texts(reason, note)
    with context.transaction() as db:
        user = accounts.lock(db, login)
        restrictions.warn(db, None, clock.now(), user, reason=reason, note=note)
    context.output(f"{user.user_login} is warned.", login=user.user_login)


@click.command(cls=Command)
@click.argument("logins", metavar="LOGIN...", nargs=-1, required=True)
@click.option("--since", metavar="TIME", help="Only from this time on: 2026-11-21T08:00:00Z.")
@click.option("--hide", "action", flag_value=SweepAction.HIDE, help="Ban topics, delete replies.")
@click.option(
    "--delete", "action", flag_value=SweepAction.DELETE, help="Delete topics and replies."
)
@click.option(
    "--restore", "action", flag_value=SweepAction.RESTORE, help="Show again what was swept."
)
@click.option("--reason", metavar="R", default="", help="Why, for the log.")
@yes_option
@pass_context
def sweep(
    context: Context,
    logins: tuple[str, ...],
    since: str | None,
    action: SweepAction | None,
    reason: str,
    yes: bool,
) -> None:
    """Hide, delete or restore many posts of users.

    The background worker does it; the log has a record of each post. If one of the users cannot be
    swept, nobody is.
    """
    if action is None:
        raise click.UsageError("One of --hide, --delete and --restore is needed.")
    reason, _ = check_texts(reason, is_required=False)
    moment = parse_moment("since", since)
    if action == SweepAction.DELETE:
        context.confirm(f"All posts of {', '.join(logins)} are deleted.", yes=yes)
    with context.transaction() as db:
        sweeps = {
            login: sweep_service.order(
                db,
                None,
                clock.now(),
                accounts.find(db, login).id,
                SweepAction(action),
                since=moment,
                reason=reason or None,
            )
            for login in logins
        }
    lines = [
        f"Ordered: sweep {sweep_id} of the posts of {login}. The background worker does it."
        for login, sweep_id in sweeps.items()
    ]
    context.output("\n".join(lines), sweeps=sweeps, action=str(action))


def _check_role(user: UserRow) -> None:
    if user.role == Role.ADMIN:
        raise Conflict(
            f"{user.user_login} is an admin: give them another role first "
            "(forumsvc user role LOGIN member)."
        )
