"""`forumsvc webhook …`: addresses that events are sent to."""

from typing import Any

import click

from ..models import ALL_EVENTS, DeliveryState, EventType
from ..text.ids import MAX_ID
from .api_client import Api
from .command import Group
from .context import Context, pass_context
from .options import limit_option, one_of

_COLUMNS = ("id", "url", "events", "node_ids", "active", "disabled_reason", "description")
_DELIVERY_COLUMNS = ("id", "event_id", "state", "attempts", "status", "error", "due_at")

webhook_argument = click.argument("webhook_id", metavar="ID", type=int)


webhook = Group("webhook")


@webhook.command()
@click.argument("url")
@click.option(
    "--event",
    "events",
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
def add(context: Context, **parameters: Any) -> None:
    """Add a webhook, and print its secret, which is shown only here and by `rotate`."""
    added = Api(context).call("POST /webhooks", **parameters).json
    _print_secret(context, added, f"Added webhook {added['id']}.")


@webhook.command("list")
@pass_context
def list_(context: Context) -> None:
    """List the webhooks."""
    listed = Api(context).rows("/webhooks", _COLUMNS)
    context.output_list("webhooks", listed, "There are no webhooks.")


@webhook.command()
@webhook_argument
@pass_context
def delete(context: Context, webhook_id: int) -> None:
    """Delete a webhook and its deliveries."""
    Api(context).call(f"DELETE /webhooks/{webhook_id}")
    context.output(f"Deleted webhook {webhook_id}.", id=webhook_id)


@webhook.command()
@webhook_argument
@pass_context
def on(context: Context, webhook_id: int) -> None:
    """Switch a webhook on; what waited is sent."""
    Api(context).call(f"PUT /webhooks/{webhook_id}", active=True)
    context.output(f"Webhook {webhook_id} is on.", id=webhook_id, active=True)


@webhook.command()
@webhook_argument
@pass_context
def off(context: Context, webhook_id: int) -> None:
    """Switch a webhook off: nothing is sent, and no new delivery is made."""
    Api(context).call(f"PUT /webhooks/{webhook_id}", active=False)
    context.output(f"Webhook {webhook_id} is off.", id=webhook_id, active=False)


@webhook.command()
@webhook_argument
@pass_context
def rotate(context: Context, webhook_id: int) -> None:
    """Print a new secret; the former one signs beside it for a day."""
    rotated = Api(context).call(f"POST /webhooks/{webhook_id}/rotate").json
    _print_secret(context, rotated, f"Webhook {webhook_id} has a new secret.")


@webhook.command()
@webhook_argument
@pass_context
def ping(context: Context, webhook_id: int) -> None:
    """Send a test message, of the type `ping`."""
    Api(context).call(f"POST /webhooks/{webhook_id}/ping")
    context.output("A ping is sent by the background worker.", id=webhook_id)


@webhook.command()
@webhook_argument
@click.option("--state", type=one_of(DeliveryState), help="Only these.")
@limit_option
@pass_context
def deliveries(context: Context, webhook_id: int, state: str | None, limit: int) -> None:
    """List the newest deliveries of a webhook."""
    path = f"/webhooks/{webhook_id}/deliveries"
    listed = Api(context).rows(path, _DELIVERY_COLUMNS, limit, state=state)
    for item in listed:
        item["event_id"] = item["event_id"] and int(item["event_id"].removeprefix("evt_"))
    context.output_list("deliveries", listed, "There are no deliveries.")


@webhook.command()
@webhook_argument
@click.argument("delivery_id", metavar="DELIVERY", type=click.IntRange(1, MAX_ID))
@pass_context
def redeliver(context: Context, webhook_id: int, delivery_id: int) -> None:
    """Send one delivery again."""
    Api(context).call(f"POST /webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver")
    context.output(f"Delivery {delivery_id} is sent again.", id=delivery_id)


@webhook.command()
@webhook_argument
@click.option("--since", metavar="TIME", required=True, help="Such as 2026-11-21T08:00:00Z.")
@click.option("--until", metavar="TIME", help="Up to now where left out.")
@click.option("--all", is_flag=True, help="Also what was delivered.")
@pass_context
def replay(context: Context, webhook_id: int, **parameters: Any) -> None:
    """Send again what failed in a time."""
    count = Api(context).call(f"POST /webhooks/{webhook_id}/replay", **parameters).json["count"]
    context.output(f"{count} deliveries are sent again.", count=count)


def _print_secret(context: Context, shown: dict[str, Any], done: str) -> None:
    secret = shown["secret"]
    context.output(f"{done} Its secret, shown once: {secret}", id=shown["id"], secret=secret)
