"""`forumsvc log …`: what moderators and administrators did."""

import json
from itertools import islice
from typing import Any

import click

from ..db.keyset_paging import PageRequest
from ..models import AdminAction, EventType, Visibility
from ..queries import audit_log
from ..queries.audit_log import LogFilter
from ..services import accounts
from .command import Group
from .context import Context, pass_context
from .options import limit_option, one_of, parse_moment

_COLUMNS = ("id", "created_at", "action", "actor", "via", "user", "topic_id", "reply_id", "node_id")

_MOST_DETAILS = 5

log = Group("log")


@log.command("list")
@click.option(
    "--action",
    type=one_of((*EventType, *AdminAction)),
    metavar="ACTION",
    help="Only these, such as topic.banned.",
)
@click.option("--actor", metavar="LOGIN", help="Only what this user did.")
@click.option("--user", "about", metavar="LOGIN", help="Only what concerns this user.")
@click.option("--since", metavar="TIME", help="Only from this time on: 2026-11-21T08:00:00Z.")
@limit_option
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
            since=parse_moment("since", since),
        )
        page = PageRequest(limit=limit)
        found = audit_log.page_of(context.database.executor, set(Visibility), wanted, page).rows
    records = [_to_dict(row) for row in found]
    columns = (*_COLUMNS, "reason", "details")
    if not context.as_json:
        records = [{**one, "details": _shortened(one["details"])} for one in records]
    context.output_list("log", records, "There is nothing in the log.", columns=columns)


def _shortened(details: Any) -> Any:
    """Return the details for a line of text: all settings of a forum may be a kilobyte."""
    if not isinstance(details, dict):
        return details
    return {name: _first(value) for name, value in details.items()}


def _first(value: Any) -> Any:
    if not isinstance(value, dict | list) or len(value) <= _MOST_DETAILS:
        return value
    others = f"{len(value) - _MOST_DETAILS} others (--json)"
    if isinstance(value, list):
        return [*value[:_MOST_DETAILS], f"and {others}"]
    return dict(islice(value.items(), _MOST_DETAILS)) | {"and": others}


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
        "created_at": row.created_at,
    }
