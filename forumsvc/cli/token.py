"""`forumsvc token …`: access tokens."""

import click
from sqlalchemy import Connection
from sqlalchemy.orm import Session

from .. import clock
from ..background.maintenance import delete_all_expired
from ..errors import Conflict, Invalid, NotFound
from ..models import AdminAction, IssuedBy, OAuthToken, UserState
from ..oauth import clients, token_admin, tokens
from ..permissions import DEFAULT_SCOPES
from ..services.accounts import accounts
from ..services.moderation import actions
from ..services.moderation.actions import Action
from .command import Group
from .context import Context, pass_context

MAX_TTL = 10**9


token = Group("token")


@token.command()
@click.argument("login")
@click.option("--client", "client_id", metavar="ID", help="The command line's own by default.")
@click.option(
    "--scope",
    "scopes",
    metavar="S",
    multiple=True,
    help="read, write, moderate or admin; may be given more than once; read and write by default.",
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
    """Issue an access token for a user; it is shown only once."""
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
        details = {"client_id": client_id, "scope": issued.scope}
        action = Action(AdminAction.TOKEN_ISSUED, None, clock.now(), owner.id, details=details)
        actions.record(db, action)
    context.output(
        f"access_token: {issued.access_token}\nexpires_in:   {issued.expires_in}",
        access_token=issued.access_token,
        expires_in=issued.expires_in,
    )


client_option = click.option("--client", "client_id", metavar="ID", help="Those of this client.")


@token.command("list")
@click.argument("login", required=False)
@client_option
@click.option("--ended", is_flag=True, help="Those too that have expired or were revoked.")
@pass_context
def list_(context: Context, login: str | None, client_id: str | None, ended: bool) -> None:
    """List the tokens of a user, of a client, or of both together, without their secrets."""
    if login is None and client_id is None:
        raise click.UsageError("Say whose tokens: LOGIN, --client ID, or both.")
    moment = clock.now()
    with context.current_database().reads.connect() as db:
        rows = token_admin.list_tokens(
            db, moment, **_owners(db, login, client_id), include_inactive=ended
        )
    listed = [row._asdict() for row in rows]
    context.output_list("tokens", listed, "There are no such tokens.")


@token.command()
@click.argument("id_", metavar="[ID]", type=int, required=False)
@click.option("--login", metavar="LOGIN", help="Those of this user.")
@client_option
@pass_context
def revoke(context: Context, id_: int | None, login: str | None, client_id: str | None) -> None:
    """Revoke a token, or all of a user, of a client, or of both together.

    A token ID revokes all tokens that were refreshed from the same log-in. --login and --client
    also revoke the authorization codes. Browser sessions stay: see `user password`.
    """
    if (id_ is None) == (login is None and client_id is None):
        raise click.UsageError("Say which tokens: an ID, or --login and --client.")
    moment = clock.now()
    with context.transaction() as db:
        if id_ is not None:
            revoked = token_admin.revoke_with_family(db, id_, moment)
        else:
            revoked = token_admin.revoke_matching(db, moment, **_owners(db, login, client_id))
        details = {"token_id": id_, "login": login, "client_id": client_id, "revoked": revoked}
        actions.record(db, Action(AdminAction.TOKEN_REVOKED, None, moment, details=details))
    context.output(f"Revoked {revoked} tokens.", revoked=revoked)


@token.command()
@pass_context
def purge(context: Context) -> None:
    """Delete expired and revoked tokens, and other expired rows.

    The background worker of a running service does so every ten minutes.
    """
    counts = delete_all_expired(context.current_database(), context.settings)
    removed = counts[OAuthToken.__tablename__]
    context.output(f"Removed {removed} tokens.", removed=removed)


def _owners(
    db: Session | Connection, login: str | None, client_id: str | None
) -> dict[str, int | None]:
    """Return the rows of user and client to filter the tokens by.

    Raises NotFound if one does not exist.
    """
    client = None if client_id is None else clients.find(db, client_id)
    if client_id is not None and client is None:
        raise NotFound(f"There is no client {client_id!r}.")
    return {
        "user_id": None if login is None else accounts.find(db, login).id,
        "client_id": None if client is None else client.id,
    }


def _client(db: Session, client_id: str | None) -> tuple[int, tuple[str, ...]]:
    """Return the row of a client and the scopes that it may request."""
    if client_id is None:
        return tokens.get_or_create_builtin_client(db), clients.SCOPES
    client = clients.find(db, client_id)
    if client is None:
        raise NotFound(f"There is no client {client_id!r}.")
    if not client.is_enabled:
        raise Conflict(f"The client {client_id!r} is disabled: its owner is blocked or deleted.")
    return client.id, client.scopes


def _scope(requested: tuple[str, ...], allowed: tuple[str, ...]) -> str:
    """Return the requested scopes, or those of DEFAULT_SCOPES that are allowed.

    Raises Invalid for one that is not allowed.
    """
    usual = tuple(scope for scope in allowed if scope in DEFAULT_SCOPES)
    chosen = set(" ".join(requested or usual or allowed).split())
    if not chosen or not chosen <= set(allowed):
        raise Invalid("scope", f"must be of {', '.join(allowed)}, separated by blanks")
    return " ".join(scope for scope in allowed if scope in chosen)
