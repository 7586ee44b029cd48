"""Jobs that wait for long, or were given up."""

from collections.abc import Iterator
from datetime import timedelta

from ..models import JobKind
from ..queries import jobs
from .finding import Finding, warning
from .installation import Installation
from .times import age, words

_LATE = {
    JobKind.MAIL: timedelta(minutes=10),
    JobKind.NOTIFY: timedelta(minutes=5),
    # With `mail.per_minute` those of many followers take their time.
    JobKind.NOTIFICATION_MAIL: timedelta(hours=3),
    JobKind.BACKUP: timedelta(hours=12),
}
_OTHERS_LATE = timedelta(hours=1)


def check(installation: Installation) -> Iterator[Finding]:
    """Yield the kinds of jobs that somebody should look at."""
    with installation.database.reads.connect() as db:
        counts = jobs.counts(db)
    for kind, count in counts.items():
        late = age(count.oldest_at)
        if late > _LATE.get(kind, _OTHERS_LATE):
            yield warning(
                f"Jobs of the kind {kind} that wait: {count.waiting}, the oldest for "
                f"{words(late)}. `forumsvc jobs list --kind {kind}` shows why."
            )
        if count.failed:
            yield warning(
                f"Jobs of the kind {kind} that were given up: {count.failed}. `forumsvc jobs list "
                f"--kind {kind} --failed` shows why; after the cause is gone `forumsvc jobs retry "
                f"--all-failed --kind {kind}`, or `forumsvc jobs discard ID`."
            )
