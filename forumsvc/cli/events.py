"""`forumsvc events …`: what happened, and who has read it."""

from datetime import datetime

import click

from .. import clock
from ..background.tasks import create_consumers
from ..errors import NotFound, single_line_message
from ..ids import MAX_ID
from ..models import EventType
from ..queries import events as reading
from .command import Group
from .context import CommandError, Context, pass_context

_COLUMNS = ("id", "type", "actor_id", "user_id", "topic_id", "reply_id", "node_id", "created_at")
_STATUS = ("consumer", "unread", "oldest_seconds", "updated_at")
_FAILED = ("consumer", "event_id", "failed_at", "error")
_MOST = 10_000


@click.group(cls=Group)
def events() -> None:
    """List events and how far each is read; retry failed ones."""


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


@events.command()
@pass_context
def failed(context: Context) -> None:
    """List the events that a consumer could not handle, and has put aside."""
    with context.current_database().reads.connect() as db:
        found = reading.failed(db)
    listed = [{name: _shown(getattr(row, name)) for name in _FAILED} for row in found]
    rows = [tuple(one.values()) for one in listed]
    headers = ("Consumer", "Event", "Failed at", "Error")
    context.output_table(headers, rows, "No event was put aside.", events=listed)


@events.command()
@click.argument("event_id", metavar="[ID]", type=click.IntRange(1, MAX_ID), required=False)
@pass_context
def retry(context: Context, event_id: int | None) -> None:
    """Handle again what was put aside: one event, or all; it stays in the list if it fails."""
    database = context.current_database()
    with database.reads.connect() as db:
        found = [row for row in reading.failed(db) if event_id in (None, row.event_id)]
    if event_id is not None and not found:
        raise NotFound(f"The event {event_id} was not put aside.")
    consumers = {one.name: one for one in create_consumers(database, 0)}
    errors = []
    for row in found:
        try:
            consumers[row.consumer].retry(row.event_id)
        except Exception as error:
            errors.append(f"{row.consumer}, event {row.event_id}: {single_line_message(error)}")
    done = len(found) - len(errors)
    lines = [*errors, f"{done} handled, {len(errors)} failed again."]
    context.output("\n".join(lines), handled=done, failed=len(errors))
    if errors:
        raise CommandError("Not all events could be handled.")


def _shown(value: object) -> object:
    return clock.rfc3339(value) if isinstance(value, datetime) else value


def _age(moment: datetime | None, now: datetime) -> float:
    return 0.0 if moment is None else max(0.0, (now - moment).total_seconds())
