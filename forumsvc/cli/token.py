"""`forumsvc token …`: access tokens."""

from datetime import timedelta

import click
from sqlalchemy.orm import Session

from .. import clock
from ..errors import Conflict, Invalid, NotFound
from ..models import IssuedBy, UserState
from ..oauth import clients, tokens
from ..services import accounts, idempotency
from .command import Group
from .context import Context, pass_context

MAX_TTL = 10**9


@click.group(cls=Group)
def token() -> None:
    """Give out access tokens, and clear away dead ones."""


@token.command()
@click.argument("login")
@click.option("--client", "client_id", metavar="ID", help="The command line's own by default.")
@click.option(
    "--scope",
    "scopes",
    metavar="S",
    multiple=True,
    help="'read' or 'write'; may be given more than once; the client's by default.",
)
@click.option(
    "--ttl",
    metavar="SECONDS",
    type=click.IntRange(1, MAX_TTL),
    help="The setting oauth.access_token_ttl by default.",
)
@pass_context
def issue(
    context: Context, login: str, client_id: str | None, scopes: tuple[str, ...], ttl: int | None
) -> None:
    """Give out an access token of a user; it is shown this once."""
    with context.transaction() as db:
        owner = accounts.find(db, login)
        if owner.state is UserState.DELETED:
            raise Conflict(f"The user {owner.login!r} is deleted.")
        row_id, allowed = _client(db, client_id)
        issued = tokens.issue(
            db,
            client_id=row_id,
            user_id=owner.id,
            scope=_scope(scopes, allowed),
            access_ttl=ttl or context.settings["oauth.access_token_ttl"],
            refresh_ttl=None,
            issued_by=IssuedBy.ADMIN,
        )
    context.answer(
        f"access_token: {issued.access_token}\nexpires_in:   {issued.expires_in}",
        access_token=issued.access_token,
        expires_in=issued.expires_in,
    )


@token.command()
@pass_context
def purge(context: Context) -> None:
    """Remove expired and revoked tokens, and what else has expired."""
    kept = timedelta(seconds=context.settings["idempotency.ttl"])
    with context.transaction() as db:
        removed = tokens.purge(db)
        idempotency.purge(db, clock.now() - kept)
    context.answer(f"Removed {removed} tokens.", removed=removed)


def _client(db: Session, client_id: str | None) -> tuple[int, tuple[str, ...]]:
    """Return the row of a client and the scopes that it may have."""
    if client_id is None:
        return tokens.builtin_client(db), clients.SCOPES
    found = clients.find(db, client_id)
    if found is None:
        raise NotFound(f"There is no client {client_id!r}.")
    if not found.is_enabled:
        raise Conflict(f"The client {client_id!r} is disabled: its owner is blocked or deleted.")
    return found.id, found.scopes


def _scope(asked: tuple[str, ...], allowed: tuple[str, ...]) -> str:
    """Return the scopes asked for, or all that are allowed; raise Invalid for any other."""
    chosen = set(" ".join(asked or allowed).split())
    if not chosen or not chosen <= set(allowed):
        raise Invalid("scope", f"must be of {', '.join(allowed)}, separated by blanks")
    return " ".join(scope for scope in allowed if scope in chosen)
