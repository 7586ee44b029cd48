"""`forumsvc log …`: what moderators and administrators did."""

from itertools import islice
from typing import Any

import click

from ..models import AdminAction, EventType
from .api_client import Api
from .command import Group
from .context import Context, pass_context
from .options import limit_option, one_of

_COLUMNS = (
    *("id", "created_at", "action", "actor", "via", "user", "topic_id", "reply_id", "node_id"),
    *("reason", "details"),
)

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
@click.option("--user", metavar="LOGIN", help="Only what concerns this user.")
@click.option("--since", metavar="TIME", help="Only from this time on: 2026-11-21T08:00:00Z.")
@limit_option
@pass_context
def list_(context: Context, limit: int, **parameters: Any) -> None:
    """List the log, the newest first."""
    records = Api(context).rows("/moderation/log", limit=limit, **parameters)
    if not context.as_json:
        records = [{**record, "details": _shortened(record["details"])} for record in records]
    context.output_list("log", records, "There is nothing in the log.", columns=_COLUMNS)


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
