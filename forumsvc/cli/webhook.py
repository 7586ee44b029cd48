"""`forumsvc webhook …`: addresses that events are sent to."""

from typing import Any

import click

from .. import clock
from ..db.keyset_paging import PageRequest
from ..errors import Invalid, NotFound
from ..ids import MAX_ID
from ..models import ALL_EVENTS, DeliveryState, EventType
from ..queries import webhooks as reading
from ..services import webhook_deliveries, webhooks
from ..webhooks import signature
from ..webhooks.addresses import ForbiddenAddress, parse_url
from .command import Group
from .context import Context, pass_context
from .options import limit_option, one_of, parse_moment
from .terminal import picked

_COLUMNS = ("id", "url", "events", "node_ids", "active", "disabled_reason", "description")
_DELIVERY_COLUMNS = ("id", "event_id", "state", "attempts", "status", "error", "due_at")


webhook = Group("webhook")


@webhook.command()
@click.argument("url")
@click.option(
    "--event",
    "types",
    metavar="TYPE",
    multiple=True,
    required=True,
    type=one_of((ALL_EVENTS, *EventType)),
    help=f"Such as topic.created; {ALL_EVENTS} for all. May be given more than once.",
)
@click.option(
    "--node",
    "node_ids",
    metavar="ID",
    multiple=True,
    type=int,
    help="Only events of this node, and of none. May be given more than once.",
)
@click.option("--description", metavar="D", default="", help="What it is for.")
@pass_context
def add(
    context: Context, url: str, types: tuple[str, ...], node_ids: tuple[int, ...], description: str
) -> None:
    """Add a webhook, and print its secret, which is shown only here and by `rotate`."""
    settings = context.settings
    try:
        parse_url(url, allow_private=settings["webhooks.allow_private"])
    except ForbiddenAddress as error:
        raise Invalid("url", str(error)) from None
    with context.transaction() as db:
        webhooks.check_nodes(db, "node", node_ids)
        webhook_id = webhooks.create(
            db,
            None,
            clock.now(),
            url=url,
            events=types,
            node_ids=node_ids or None,
            description=description,
            most=settings["webhooks.most"],
        )
    _print_secret(context, webhook_id, 1, f"Added webhook {webhook_id}.")


@webhook.command("list")
@pass_context
def list_(context: Context) -> None:
    """List the webhooks."""
    with context.current_database().reads.connect() as db:
        found = reading.all_webhooks(db)
    listed = picked(found, _COLUMNS)
    context.output_list("webhooks", listed, "There are no webhooks.")


@webhook.command()
@click.argument("webhook_id", metavar="ID", type=int)
@pass_context
def delete(context: Context, webhook_id: int) -> None:
    """Delete a webhook and its deliveries."""
    with context.transaction() as db:
        _check(db, webhook_id)
        webhooks.destroy(db, None, clock.now(), webhook_id)
    context.output(f"Deleted webhook {webhook_id}.", id=webhook_id)


@webhook.command()
@click.argument("webhook_id", metavar="ID", type=int)
@pass_context
def on(context: Context, webhook_id: int) -> None:
    """Switch a webhook on; what waited is sent."""
    _switch(context, webhook_id, active=True)


@webhook.command()
@click.argument("webhook_id", metavar="ID", type=int)
@pass_context
def off(context: Context, webhook_id: int) -> None:
    """Switch a webhook off: nothing is sent, and no new delivery is made."""
    _switch(context, webhook_id, active=False)


def _switch(context: Context, webhook_id: int, *, active: bool) -> None:
    with context.transaction() as db:
        _check(db, webhook_id)
        webhooks.edit(db, None, clock.now(), webhook_id, active=active)
    state = "on" if active else "off"
    context.output(f"Webhook {webhook_id} is {state}.", id=webhook_id, active=active)


@webhook.command()
@click.argument("webhook_id", metavar="ID", type=int)
@pass_context
def rotate(context: Context, webhook_id: int) -> None:
    """Print a new secret; the former one signs beside it for a day."""
    with context.transaction() as db:
        _check(db, webhook_id)
        generation = webhooks.rotate(db, None, clock.now(), webhook_id)
    _print_secret(context, webhook_id, generation, f"Webhook {webhook_id} has a new secret.")


@webhook.command()
@click.argument("webhook_id", metavar="ID", type=int)
@pass_context
def ping(context: Context, webhook_id: int) -> None:
    """Send a test message, of the type `ping`."""
    with context.transaction() as db:
        _check(db, webhook_id)
        webhook_deliveries.ping(db, webhook_id, clock.now())
    context.output("A ping is sent by the background worker.", id=webhook_id)


@webhook.command()
@click.argument("webhook_id", metavar="ID", type=int)
@click.option("--state", type=one_of(DeliveryState), help="Only these.")
@limit_option
@pass_context
def deliveries(context: Context, webhook_id: int, state: str | None, limit: int) -> None:
    """List the newest deliveries of a webhook."""
    chosen = None if state is None else DeliveryState(state)
    with context.current_database().reads.connect() as db:
        _check(db, webhook_id)
        found, _ = reading.deliveries_of(db, webhook_id, chosen, PageRequest(limit=limit))
    listed = picked(found, _DELIVERY_COLUMNS)
    for one in listed:
        if one["state"] != DeliveryState.WAITING:
            one["due_at"] = None
    context.output_list("deliveries", listed, "There are no deliveries.")


@webhook.command()
@click.argument("webhook_id", metavar="ID", type=int)
@click.argument("delivery_id", metavar="DELIVERY", type=click.IntRange(1, MAX_ID))
@pass_context
def redeliver(context: Context, webhook_id: int, delivery_id: int) -> None:
    """Send one delivery again."""
    with context.transaction() as db:
        _check(db, webhook_id)
        webhook_deliveries.redeliver(db, webhook_id, delivery_id, clock.now())
    context.output(f"Delivery {delivery_id} is sent again.", id=delivery_id)


@webhook.command()
@click.argument("webhook_id", metavar="ID", type=int)
@click.option("--since", metavar="TIME", required=True, help="Such as 2026-11-21T08:00:00Z.")
@click.option("--until", metavar="TIME", help="Up to now where left out.")
@click.option("--all", "include_delivered", is_flag=True, help="Also what was delivered.")
@pass_context
def replay(
    context: Context, webhook_id: int, since: str, until: str | None, include_delivered: bool
) -> None:
    """Send again what failed in a time."""
    begin, end = parse_moment("since", since), parse_moment("until", until)
    assert begin is not None  # noqa: S101 - the option is required
    with context.transaction() as db:
        _check(db, webhook_id)
        count = webhook_deliveries.replay(
            db,
            webhook_id,
            clock.now(),
            since=begin,
            until=end,
            include_delivered=include_delivered,
        )
    context.output(f"{count} deliveries are sent again.", count=count)


def _check(db: Any, webhook_id: int) -> None:
    """Raise NotFound if there is no such webhook."""
    if not webhooks.exists(db, webhook_id):
        raise NotFound(f"There is no webhook {webhook_id}.")


def _print_secret(context: Context, webhook_id: int, generation: int, what: str) -> None:
    secret = signature.derive_secret(context.settings["session.secret"], webhook_id, generation)
    shown = signature.format_secret(secret)
    context.output(f"{what} Its secret, shown once: {shown}", id=webhook_id, secret=shown)
