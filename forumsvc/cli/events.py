"""`forumsvc events …`: what happened, and who has read it."""

from datetime import datetime

import click

from .. import clock
from ..models import EventType
from ..queries import events as reading
from .command import Group
from .context import Context, pass_context

_COLUMNS = ("id", "type", "actor_id", "user_id", "topic_id", "reply_id", "node_id", "created_at")
_STATUS = ("consumer", "unread", "oldest_seconds", "updated_at")
_MOST = 10_000


@click.group(cls=Group)
def events() -> None:
    """List events, and how far each consumer has read them."""


@events.command("list")
@click.option("--since", metavar="ID", type=click.IntRange(0), default=0, help="Only later ones.")
@click.option(
    "--type",
    "type_",
    type=click.Choice([str(each) for each in EventType]),
    metavar="TYPE",
    help="Only these, such as topic.created.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, _MOST),
    default=100,
    show_default=True,
    help="At most so many.",
)
@pass_context
def list_(context: Context, since: int, type_: str | None, limit: int) -> None:
    """List events, the oldest first."""
    with context.current_database().reads.connect() as db:
        found = reading.since(db, since, type_, limit)
    listed = [{name: _shown(getattr(row, name)) for name in _COLUMNS} for row in found]
    rows = [tuple(one.values()) for one in listed]
    headers = [name.removesuffix("_id").replace("_", " ").capitalize() for name in _COLUMNS]
    context.output_table(headers, rows, "There are no events.", events=listed)


@events.command()
@pass_context
def status(context: Context) -> None:
    """Show how many events each consumer has yet to read."""
    now = clock.now()
    with context.current_database().reads.connect() as db:
        consumers = reading.lags(db)
        kept = reading.kept(db)
    listed = [
        {
            "consumer": one.consumer,
            "unread": one.unread,
            "oldest_seconds": _age(one.oldest_at, now),
            "updated_at": clock.rfc3339(one.updated_at),
        }
        for one in consumers
    ]
    rows = [tuple(one.values()) for one in listed]
    headers = [name.replace("_", " ").capitalize() for name in _STATUS]
    empty = f"{kept.number} events are kept; nothing has read any."
    values = {
        "kept": kept.number,
        "oldest_at": _shown(kept.oldest_at),
        "newest_id": kept.newest_id,
        "consumers": listed,
    }
    context.output_table(headers, rows, empty, **values)


def _shown(value: object) -> object:
    return clock.rfc3339(value) if isinstance(value, datetime) else value


def _age(moment: datetime | None, now: datetime) -> float:
    return 0.0 if moment is None else max(0.0, (now - moment).total_seconds())
