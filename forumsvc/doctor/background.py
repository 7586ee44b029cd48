"""The background worker, and how far it is behind."""

from collections.abc import Iterator
from datetime import timedelta

from ..background.worker import is_anybody_alive
from ..queries import events
from ..services.notifications import jobs
from .finding import Finding, error, warning
from .installation import Installation
from .times import age, words

_LATE = timedelta(minutes=5)


def check(installation: Installation) -> Iterator[Finding]:
    """Yield whether no worker is alive, and what it should have done."""
    if not is_anybody_alive(installation.database):
        yield error(
            "No background worker is alive, so emails, webhooks and the search index wait: start "
            "the service, with worker = true in [server:main] on one host, or `forumsvc work`."
        )
    with installation.database.reads.connect() as db:
        lags, pending = events.lags(db), jobs.pending(db)
    for lag in lags:
        late = age(lag.oldest_at)
        if late > _LATE:
            yield warning(
                f"Events that {lag.consumer} has yet to read: {lag.unread}, the oldest is "
                f"{words(late)} old. Look for errors of this task in the log, and for a "
                "transaction that has been open for as long."
            )
    late = age(pending.oldest_at)
    if late > _LATE:
        yield warning(
            f"Posts whose followers are not all notified: {pending.number}, the oldest for "
            f"{words(late)}. Look for `followers are notified later` in the log."
        )
