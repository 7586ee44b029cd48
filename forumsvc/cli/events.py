"""`forumsvc events …`: what happened, and who has read it."""

from datetime import datetime
from typing import Any

import click

from .. import clock
from ..models import EventType
from ..queries import events as reading
from .command import Group
from .context import Context, pass_context
from .options import limit_option, one_of
from .terminal import picked

_COLUMNS = ("id", "type", "actor_id", "user_id", "topic_id", "reply_id", "node_id", "created_at")


events = Group("events")


@events.command("list")
@click.option("--since", metavar="ID", type=click.IntRange(0), default=0, help="Only later ones.")
@click.option(
    "--type",
    "type_",
    type=one_of(EventType),
    metavar="TYPE",
    help="Only these, such as topic.created.",
)
@limit_option
@pass_context
def list_(context: Context, since: int, type_: str | None, limit: int) -> None:
    """List events, the oldest first."""
    with context.current_database().reads.connect() as db:
        result = reading.since(db, since, type_, limit)
    listed = picked(result, _COLUMNS)
    context.output_list("events", listed, "There are no events.")


@events.command()
@pass_context
def status(context: Context) -> None:
    """Show how many events each consumer has yet to read."""
    now = clock.now()
    with context.current_database().reads.connect() as db:
        consumers = reading.lags(db)
        summary = reading.summary(db)
    listed = [
        {
            "consumer": consumer.consumer,
            "unread": consumer.unread,
            "oldest_seconds": _age(consumer.oldest_at, now),
            "updated_at": consumer.updated_at,
        }
        for consumer in consumers
    ]
    empty = f"{summary.number} events are kept; nothing has read any."
    values: dict[str, Any] = {
        "kept": summary.number,
        "oldest_at": summary.oldest_at,
        "newest_id": summary.newest_id,
    }
    context.output_list("consumers", listed, empty, **values)


def _age(moment: datetime | None, now: datetime) -> float:
    return 0.0 if moment is None else max(0.0, (now - moment).total_seconds())
