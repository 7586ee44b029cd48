"""`forumsvc access …`: blocks of networks, email addresses and email domains."""

from datetime import timedelta
from typing import Any

import click

from .. import clock
from ..models import AccessBlockKind, AccessBlockSeverity
from ..services.access import values
from .api_client import Api
from .command import Group
from .context import Context, pass_context
from .options import days_option, limit_option, one_of

_COLUMNS = ("id", "kind", "value", "severity", "expires_at", "reason", "by")
_CREATED = 201


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
    context: Context, value: str, kind: str | None, days: int | None, **parameters: Any
) -> None:
    """Block a network (192.0.2.0/24), an email address or a domain.

    One that is blocked already gets the new severity, reason and end.
    """
    parameters |= {"kind": kind or values.kind_of(value), "value": value}
    if days is not None:
        parameters["expires_at"] = clock.rfc3339(clock.now() + timedelta(days=days))
    answer = Api(context).call("POST /access_blocks", **parameters)
    block_id, is_new = answer.json["id"], answer.status_int == _CREATED
    done = "Added" if is_new else "Changed"
    context.output(f"{done} access block {block_id}.", id=block_id, new=is_new)


@access.command("list")
@limit_option
@pass_context
def list_(context: Context, limit: int) -> None:
    """List the newest blocks, also those that have ended."""
    listed = Api(context).rows("/access_blocks", _COLUMNS, limit)
    context.output_list("access_blocks", listed, "There are no access blocks.")


@access.command()
@click.argument("block_id", metavar="ID", type=int)
@pass_context
def unblock(context: Context, block_id: int) -> None:
    """Remove a block."""
    Api(context).call(f"DELETE /access_blocks/{block_id}")
    context.output(f"Removed access block {block_id}.", id=block_id)
