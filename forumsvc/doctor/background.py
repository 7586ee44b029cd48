"""The background worker, and how far it is behind."""

from collections.abc import Iterator
from datetime import timedelta

from .. import clock
from ..queries import events
from ..services import deployment
from ..services.accounts import closures
from ..services.event_consumers import is_anybody_alive
from ..services.moderation import restrictions
from .finding import Finding, error, warning
from .installation import Installation
from .times import age, words

_LATE = timedelta(minutes=5)
_OVERDUE = timedelta(hours=1)


def check(installation: Installation) -> Iterator[Finding]:
    """Yield whether no worker is alive, what it should have done, and whether it may send."""
    if not is_anybody_alive(installation.database.executor, clock.now()):
        yield error(
            "No background worker is alive, so emails, notifications, webhooks and the search "
            "index wait: start the service, with worker = true in [server:main] on one host, or "
            "`forumsvc work`."
        )
    with installation.database.reads.connect() as db:
        lags = events.lags(db)
        why = deployment.why_it_sends_nothing(db, installation.settings["site.url"])
        then = clock.now() - _OVERDUE
        overdue = {
            "The account is not closed": [row.id for row in closures.due(db, then)],
            "The silence is not tidied up": [row.id for row in restrictions.due(db, then)],
        }
    if why is not None:
        yield warning(
            f"Emails and webhooks wait: {why}. A copy for a rehearsal is right so; the one that is "
            "to send needs `forumsvc db adopt`."
        )
    for kind, ids in overdue.items():
        if ids:
            yield warning(
                f"{kind}, which was due more than an hour ago, of the users "
                f"{', '.join(map(str, ids))}: look for them in the log, which says why."
            )
    for lag in lags:
        late = age(lag.oldest_at)
        if late > _LATE:
            yield warning(
                f"Events that {lag.consumer} has yet to read: {lag.unread}, the oldest is "
                f"{words(late)} old. Look for errors of this consumer in the log, and for a "
                "transaction that has been open for as long."
            )
