"""`forumsvc access …`: blocks of networks, email addresses and email domains."""

from datetime import timedelta

import click

from .. import clock
from ..db.keyset_paging import PageRequest
from ..models import AccessBlockKind, AccessBlockSeverity
from ..queries import access_blocks as reading
from ..services.access import blocks, values
from ..services.access.blocks import Block
from .command import Group
from .context import Context, pass_context
from .options import check_texts, days_option, limit_option, one_of
from .terminal import picked

_COLUMNS = ("id", "kind", "value", "severity", "expires_at", "reason")


access = Group("access")


@access.command()
@click.argument("value")
@click.option(
    "--kind",
    type=one_of(AccessBlockKind),
    help="What VALUE is, where that is not plain from it.",
)
@click.option(
    "--severity",
    type=one_of(AccessBlockSeverity),
    required=True,
    help="What is refused: sign-up, sign-up without an admin's approval, writing, or all.",
)
@click.option("--reason", metavar="R", required=True, help="Why, for admins.")
@days_option
@click.option("--force", is_flag=True, help="Block the addresses of the machine itself, too.")
@pass_context
def block(
    context: Context,
    value: str,
    kind: str | None,
    severity: str,
    reason: str,
    days: int | None,
    force: bool,
) -> None:
    """Block a network (192.0.2.0/24), an email address or a domain.

    One that is blocked already gets the new severity, reason and end.
    """
    now = clock.now()
    reason, _ = check_texts(reason)
    with context.transaction() as db:
        block = Block(
            values.kind_of(value) if kind is None else AccessBlockKind(kind),
            value,
            AccessBlockSeverity(severity),
            reason,
            None if days is None else now + timedelta(days=days),
        )
        block_id, is_new = blocks.put(db, None, now, block, force=force)
    done = "Added" if is_new else "Changed"
    context.output(f"{done} access block {block_id}.", id=block_id, new=is_new)


@access.command("list")
@limit_option
@pass_context
def list_(context: Context, limit: int) -> None:
    """List the newest blocks, also those that have ended."""
    with context.current_database().reads.connect() as db:
        found, _ = reading.page_of(db, PageRequest(limit=limit))
    listed = picked(found, (*_COLUMNS, "by_login"))
    for one in listed:
        one["by"] = one.pop("by_login")
    context.output_list("access_blocks", listed, "There are no access blocks.")


@access.command()
@click.argument("block_id", metavar="ID", type=int)
@pass_context
def unblock(context: Context, block_id: int) -> None:
    """Remove a block."""
    with context.transaction() as db:
        blocks.remove(db, None, clock.now(), block_id)
    context.output(f"Removed access block {block_id}.", id=block_id)
