"""Webhooks that fail or were switched off, and deliveries that were given up."""

from collections.abc import Iterator
from datetime import timedelta
from urllib.parse import urlsplit

from .. import clock
from ..queries import webhooks
from ..services.webhooks import webhook_deliveries
from .finding import Finding, warning
from .installation import Installation
from .times import WEEK, age, words

_FAILING = timedelta(hours=1)


def check(installation: Installation) -> Iterator[Finding]:
    """Yield the webhooks that somebody should look at."""
    with installation.database.reads.connect() as db:
        unhealthy = webhooks.unhealthy(db)
        given_up = webhook_deliveries.given_up_since(db, clock.now() - WEEK)
    for row in unhealthy:
        # The path may contain a secret of the receiver.
        name = f"Webhook {row.id} ({urlsplit(row.url).hostname})"
        if row.disabled_reason is not None:
            yield warning(
                f"{name} was switched off: {row.disabled_reason}. Mend the receiver, then "
                f"`forumsvc webhook on {row.id}`; `forumsvc webhook replay {row.id} --since TIME` "
                "sends what was given up."
            )
        elif age(row.failing_since) > _FAILING:
            yield warning(
                f"{name} has failed for {words(age(row.failing_since))}: `forumsvc webhook "
                f"deliveries {row.id}` shows why."
            )
    for webhook_id, number in given_up.items():
        yield warning(
            f"Deliveries to webhook {webhook_id} given up in the last seven days: {number}. "
            f"`forumsvc webhook deliveries {webhook_id} --state failed` shows why, `forumsvc "
            f"webhook replay {webhook_id} --since TIME` sends them again."
        )
