"""`forumsvc log …`: what moderators and administrators did."""

import json
from typing import Any

import click

from .. import clock
from ..db.keyset_paging import PageRequest
from ..models import AdminAction, EventType, Visibility
from ..queries import audit_log
from ..queries.audit_log import LogFilter
from ..services import accounts
from .command import Group
from .context import Context, pass_context
from .restrictions import parse_moment

_MOST = 10_000
_HEADERS = ("ID", "Time", "Action", "By", "Via", "User", "Topic", "Reply", "Node", "Reason")


@click.group(cls=Group)
def log() -> None:
    """List what moderators and administrators did."""


@log.command("list")
@click.option(
    "--action",
    type=click.Choice([str(each) for each in (*EventType, *AdminAction)]),
    metavar="ACTION",
    help="Only these, such as topic.banned.",
)
@click.option("--actor", metavar="LOGIN", help="Only what this user did.")
@click.option("--user", "about", metavar="LOGIN", help="Only what concerns this user.")
@click.option("--since", metavar="TIME", help="Only from this time on: 2026-11-21T08:00:00Z.")
@click.option("--limit", type=click.IntRange(1, _MOST), default=100, show_default=True)
@pass_context
def list_(
    context: Context,
    action: str | None,
    actor: str | None,
    about: str | None,
    since: str | None,
    limit: int,
) -> None:
    """List the log, the newest first."""
    with context.current_database().reads.connect() as db:
        wanted = LogFilter(
            action=action,
            actor_id=None if actor is None else accounts.find(db, actor).id,
            user_id=None if about is None else accounts.find(db, about).id,
            since=None if since is None else parse_moment("since", since),
        )
        page = PageRequest(limit=limit)
        found = audit_log.page_of(context.database.executor, set(Visibility), wanted, page).rows
    records = [_to_dict(row) for row in found]
    cells = [
        (
            *(one["id"], one["created_at"], one["action"], one["actor"], one["via"], one["user"]),
            *(one["topic_id"], one["reply_id"], one["node_id"], one["reason"]),
        )
        for one in records
    ]
    context.output_table(_HEADERS, cells, "There is nothing in the log.", log=records)


def _to_dict(row: Any) -> dict[str, Any]:
    return {
        "id": row.id,
        "action": row.action,
        "actor": row.actor_login,
        "via": row.via,
        "user": row.user_login,
        "topic_id": row.topic_id,
        "reply_id": row.reply_id,
        "node_id": row.node_id,
        "reason": row.reason,
        "details": None if row.details is None else json.loads(row.details),
        "request_id": row.request_id,
        "created_at": clock.rfc3339(row.created_at),
    }
