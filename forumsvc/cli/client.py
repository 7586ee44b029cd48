"""`forumsvc client …`: applications that may ask for tokens."""

import click

from ..oauth import clients
from .command import Group
from .context import Context, pass_context

DEFAULT_GRANTS = ("password", "refresh_token", "authorization_code")
_STATES = ("Owner", "Enabled", "Introspects")


@click.group(cls=Group)
def client() -> None:
    """Register, list and remove OAuth clients."""


@client.command()
@click.argument("name")
@click.option(
    "--grant",
    "grants",
    multiple=True,
    type=click.Choice(clients.GRANTS),
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
    default=clients.SCOPES,
    show_default=True,
    help="May be given more than once.",
)
@click.option("--public", is_flag=True, help="It cannot keep a secret, and gets none.")
@click.option(
    "--introspect",
    "introspects",
    is_flag=True,
    help="It may introspect the tokens of other clients.",
)
@pass_context
def add(
    context: Context,
    name: str,
    grants: tuple[str, ...],
    redirect_uris: tuple[str, ...],
    scopes: tuple[str, ...],
    public: bool,
    introspects: bool,
) -> None:
    """Register a client; its secret is shown this once."""
    with context.transaction() as db:
        added = clients.create(
            db,
            name,
            grants=grants,
            redirect_uris=redirect_uris,
            scopes=" ".join(scopes).split(),
            public=public,
            introspects=introspects,
        )
    lines = [f"client_id:     {added.client_id}"]
    if added.client_secret is not None:
        lines += [
            f"client_secret: {added.client_secret}",
            "Keep the secret: it is not shown again.",
        ]
    context.answer("\n".join(lines), client_id=added.client_id, client_secret=added.client_secret)


@client.command("list")
@pass_context
def list_(context: Context) -> None:
    """List all clients; secrets are not known any more."""
    with context.current_database().reads.connect() as db:
        listed = clients.listing(db)
    described = [
        {
            "client_id": each.client_id,
            "name": each.name,
            "public": each.public,
            "grants": each.grants,
            "scopes": each.scopes,
            "redirect_uris": each.redirect_uris,
            "owner": each.owner,
            "enabled": each.is_enabled,
            "introspect": each.introspects,
        }
        for each in listed
    ]
    rows = [
        (
            each.client_id,
            each.name,
            "public" if each.public else "confidential",
            " ".join(each.grants),
            " ".join(each.scopes),
            " ".join(each.redirect_uris),
            each.owner or "",
            "yes" if each.is_enabled else "no",
            "yes" if each.introspects else "no",
        )
        for each in listed
    ]
    heads = ("Client ID", "Name", "Type", "Grants", "Scopes", "Redirect URIs", *_STATES)
    context.answer_table(heads, rows, "There are no clients.", clients=described)


@client.command()
@click.argument("client_id", metavar="ID")
@pass_context
def delete(context: Context, client_id: str) -> None:
    """Remove a client and end every token that was given to it."""
    with context.transaction() as db:
        clients.delete(db, client_id)
    context.answer(f"Removed the client {client_id}.", client_id=client_id)
