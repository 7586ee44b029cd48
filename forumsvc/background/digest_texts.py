"""What a digest says: what is unread, and new topics of the nodes that its reader reads."""

from datetime import datetime
from typing import NamedTuple

from ..db.execution import SqlConnection
from ..mail import notification_text
from ..mail.notification_text import Entry, Rendered
from ..models import MailPace, MailTopic
from ..queries import notification_mails as reading
from ..queries.notification_mails import Recipient
from ..services.notifications import digests, notification_mails
from ..settings import Settings
from .notification_texts import Texts, is_told_otherwise, language_of, names_and_links


class Digest(NamedTuple):
    """What a digest tells. more: how many notifications are left out."""

    entries: list[Entry]
    more: int
    topics: list[Entry]


def told(
    db: SqlConnection,
    settings: Settings,
    recipient: Recipient,
    *,
    since: datetime,
    until_id: int,
    at: datetime,
) -> Digest | None:
    """Return what a user is told of; None for nothing new, or if they want no digests any more.

    since: from when on topics are new; until_id: the newest notification that it may tell of; at:
    the time of the digest.
    """
    if recipient.choices[MailTopic.DIGEST] == MailPace.OFF:
        return None
    texts = Texts(settings, language_of(settings, recipient))
    until, after = notification_mails.until(at), at - digests.KEEP
    unread = reading.unread(db, recipient.id, until_id=until_id, after=after, until=until)
    entries = [
        (entry := texts.entry(row, row.topic_id))._replace(
            text="", title=entry.title or row.title or ""
        )
        for row in unread
        if not is_told_otherwise(row)
    ]
    listed = {row.topic_id for row in unread}
    new = reading.new_topics(db, recipient.id, since=since, until=until, read_since=after)
    topics = [texts.topic(row) for row in new if row.id not in listed]
    if not entries and not topics:
        return None
    more = unread[0].total - len(unread) if unread else 0
    return Digest(entries, more, topics)


def rendered(
    db: SqlConnection, settings: Settings, recipient: Recipient, digest: Digest, at: datetime
) -> tuple[Rendered, str]:
    """Return what a digest says, and the address by which its reader unsubscribes."""
    names, links = names_and_links(db, settings, recipient, MailTopic.DIGEST, at)
    made = notification_text.render(
        "digest",
        language_of(settings, recipient),
        digest.entries,
        names=names,
        links=links,
        topics=digest.topics,
        more=digest.more,
    )
    return made, links["stop"]
