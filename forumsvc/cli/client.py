"""`forumsvc client …`: applications that may request tokens."""

from typing import TYPE_CHECKING

import click

from .. import clock
from ..models import AdminAction
from ..oauth import clients, token_admin
from ..permissions import DEFAULT_SCOPES
from ..services.moderation import actions
from ..services.moderation.actions import Action
from .command import Group
from .context import Context, pass_context
from .options import one_of, read_line, yes_option
from .terminal import picked

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

DEFAULT_GRANTS = ("password", "refresh_token", "authorization_code")
_COLUMNS = ("client_id", "name", "public", "grants", "scopes", "redirect_uris", "owner")


client = Group("client")


@client.command()
@click.argument("name")
@click.option(
    "--grant",
    "grants",
    multiple=True,
    type=one_of(clients.GRANTS),
    default=DEFAULT_GRANTS,
    show_default=True,
    help="May be given more than once.",
)
@click.option(
    "--redirect-uri",
    "redirect_uris",
    metavar="U",
    multiple=True,
    help="May be given more than once.",
)
@click.option(
    "--scope",
    "scopes",
    metavar="S",
    multiple=True,
    default=tuple(map(str, DEFAULT_SCOPES)),
    show_default=True,
    help="read, write, moderate or admin; may be given more than once.",
)
@click.option("--public", is_flag=True, help="It cannot keep a secret, and gets none.")
@click.option(
    "--introspect",
    "introspects",
    is_flag=True,
    help="It may introspect the tokens of other clients.",
)
@click.option(
    "--id",
    "client_id",
    metavar="ID",
    help="The identifier that a shipped application has already; a new one where left out.",
)
@click.option(
    "--secret",
    metavar="SECRET",
    help="The secret that it has already; a new one where left out. Others see it (ps).",
)
@click.option("--secret-stdin", is_flag=True, help="Read the secret from standard input, a line.")
@pass_context
def add(
    context: Context,
    name: str,
    grants: tuple[str, ...],
    redirect_uris: tuple[str, ...],
    scopes: tuple[str, ...],
    public: bool,
    introspects: bool,
    client_id: str | None,
    secret: str | None,
    secret_stdin: bool,
) -> None:
    """Register a client; its secret is shown only once."""
    if secret is not None and secret_stdin:
        raise click.UsageError("Give --secret or --secret-stdin, not both.")
    given_secret = read_line() if secret_stdin else secret
    with context.transaction() as db:
        added = clients.create(
            db,
            name,
            grants=grants,
            redirect_uris=redirect_uris,
            scopes=" ".join(scopes).split(),
            public=public,
            introspects=introspects,
            client_id=client_id,
            client_secret=given_secret,
        )
        _log(db, AdminAction.CLIENT_CREATED, added.client_id, name=name)
    lines = [f"client_id:     {added.client_id}"]
    if added.client_secret is not None and given_secret is None:
        lines += [
            f"client_secret: {added.client_secret}",
            "Keep the secret: it is not shown again.",
        ]
    context.output("\n".join(lines), client_id=added.client_id, client_secret=added.client_secret)


@client.command("list")
@pass_context
def list_(context: Context) -> None:
    """List all clients, without their secrets, which are stored as hashes."""
    with context.current_database().reads.connect() as db:
        listed = clients.list_clients(db)
    described = [
        {**one, "enabled": row.is_enabled, "introspect": row.introspects}
        for row, one in zip(listed, picked(listed, _COLUMNS), strict=True)
    ]
    context.output_list("clients", described, "There are no clients.")


@client.command()
@click.argument("client_id", metavar="ID")
@yes_option
@pass_context
def delete(context: Context, client_id: str, yes: bool) -> None:
    """Delete a client and revoke all its tokens."""
    with context.current_database().reads.connect() as db:
        client = clients.find(db, client_id)
        if client is not None:
            alive = token_admin.count_for_client(db, client.id, clock.now())
            context.confirm(
                f"Deleting the client {client_id} ({client.name}) cannot be undone. It removes its "
                f"registration and {alive} tokens. Its users are logged out.",
                yes=yes,
            )
    with context.transaction() as db:
        clients.delete(db, client_id)
        _log(db, AdminAction.CLIENT_DELETED, client_id)
    context.output(f"Removed the client {client_id}.", client_id=client_id)


def _log(db: "Session", action: AdminAction, client_id: str, **extra: str) -> None:
    details = {"client_id": client_id, **extra}
    actions.record(db, Action(action, None, clock.now(), details=details))
