"""What an email about a topic says, made when it is sent."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from ..db.execution import SqlConnection
from ..mail import notification_text
from ..mail.notification_text import Entry, Rendered
from ..models import MailPace, MailTopic, NotificationType
from ..models.notification import NOTIFICATION_KINDS
from ..queries import notification_mails as reading
from ..queries.notification_mails import Recipient
from ..services import site_texts
from ..services.moderation import notices
from ..services.notifications import notification_mails, unsubscribing
from ..services.notifications.mail_choices import HOUR
from ..settings import Settings
from ..text.languages import LANGUAGES, catalogue
from ..text.messages import Message

_HAS_OWN_MAIL = frozenset({"user.silenced", "user.unsilenced", "account.approved"})
"""Actions of which an email of another kind tells."""
_SITE = "http://localhost"
"""Where links lead without `site.url`, which development alone may leave out."""


class Told(NamedTuple):
    """What an email tells: the entries, how many replies are left out, the topic's title, and what
    it is about first of all. is_due: whether anything of it is due already.
    """

    entries: list[Entry]
    more: int
    title: str
    about: MailTopic
    is_due: bool


def base_of(settings: Settings) -> str:
    """Return what the links begin with."""
    return settings["site.url"] or _SITE


def told(
    db: SqlConnection,
    settings: Settings,
    recipient: Recipient,
    topic_id: int | None,
    *,
    until_id: int,
    at: datetime,
) -> Told | None:
    """Return what a user is told of a topic; None for nothing. at: the time of the email."""
    wanted = {
        kind
        for kind, declared in NOTIFICATION_KINDS.items()
        if declared.mail is not None and recipient.choices[declared.mail] != MailPace.OFF
    }
    until = notification_mails.until(at)
    due = reading.due(db, recipient.id, topic_id, until_id=until_id, until=until)
    rows = [row for row in due if row.type in wanted and not is_told_otherwise(row)]
    texts = Texts(settings, language_of(settings, recipient))
    mentions = {row.reply_id for row in rows if row.type == NotificationType.MENTION}
    entries = [
        (row.reply_id or 0, texts.entry(row, topic_id))
        for row in rows
        if row.type != NotificationType.TOPIC_REPLY
    ]
    replies = [row for row in rows if row.type == NotificationType.TOPIC_REPLY]
    more = 0
    if replies and topic_id is not None:
        unread = _replies(db, recipient, topic_id, replies, until)
        shown = [row for row in unread if row.id not in mentions]
        entries += [(row.id, texts.reply(row)) for row in shown]
        more = unread[0].total - len(unread) if unread else 0
    if not entries:
        return None
    abouts = {entry.about for _, entry in entries}
    about = next(item for item in MailTopic if item in abouts)
    title = next((row.title for row in rows if row.title), "")
    waits = timedelta(0) if settings["mail.allow_instant"] else HOUR
    is_due = any(row.mail_at <= at and row.created_at <= at - waits for row in rows)
    entries.sort(key=lambda item: item[0])
    return Told([entry for _, entry in entries], more, title, about, is_due)


def _replies(
    db: SqlConnection, recipient: Recipient, topic_id: int, rows: Sequence[Any], until: datetime
) -> Sequence[Any]:
    """Return the unread replies that these notifications stand for."""
    first = rows[0]
    return reading.replies(
        *(db, recipient.id, topic_id), from_id=first.reply_id, after=first.mailed_at, until=until
    )


def is_told_otherwise(row: Any) -> bool:
    """Return whether an email of another kind tells of a notification."""
    return bool(row.details) and _details(row).get("action") in _HAS_OWN_MAIL


def _details(row: Any) -> Mapping[str, Any]:
    """Return what a notification of moderation has; a dump can hold anything."""
    details = json.loads(row.details) if row.details else {}
    return details if isinstance(details, dict) else {}


def language_of(settings: Settings, recipient: Recipient) -> str:
    """Return the language of the emails to somebody."""
    chosen = recipient.locale
    return chosen if chosen in LANGUAGES else str(settings["site.language"])


class Texts:
    """The entries of an email in a language."""

    def __init__(self, settings: Settings, language: str) -> None:
        self._base = base_of(settings) if settings["pages.forum"] else ""
        self._translate = catalogue(language).gettext

    def reply(self, row: Any) -> Entry:
        link = self._link("replies", row.id)
        return Entry(MailTopic.REPLY, row.actor_name or row.actor_login, row.body, link)

    def topic(self, row: Any) -> Entry:
        """Return the entry of a new topic."""
        actor, link = row.actor_name or row.actor_login, self._link("topics", row.id)
        return Entry(MailTopic.FOLLOW, actor, "", link, title=row.title)

    def entry(self, row: Any, topic_id: int | None) -> Entry:
        about = NOTIFICATION_KINDS[NotificationType(row.type)].mail or MailTopic.MODERATION
        actor = row.actor_name or row.actor_login
        link = self._link("topics", topic_id)
        if about != MailTopic.MODERATION:
            body = row.topic_body if row.reply_id is None else row.reply_body
            if row.reply_id is not None:
                link = self._link("replies", row.reply_id)
            return Entry(about, actor, body or "", link)
        if row.type == NotificationType.FOLLOW:
            words = self._translate(NOTIFICATION_KINDS[NotificationType.FOLLOW].words)
            return Entry(about, actor, "", "", words)
        if row.type == NotificationType.NODE_CHANGED:
            words = self._translate(NOTIFICATION_KINDS[NotificationType.NODE_CHANGED].words)
            title = f"{row.title} → {row.node_name}" if row.node_name else row.title
            return Entry(about, actor, "", link, words, title)
        details = _details(row)
        action = str(details.get("action") or "")
        words = self._words(notices.WORDS.get(action, action))
        title = str(row.title or details.get("title") or "")
        return Entry(about, "", str(details.get("reason") or ""), link, words, title)

    def _words(self, words: str) -> str:
        return self._translate(words.msgid if isinstance(words, Message) else words)

    def _link(self, kind: str, id_: int | None) -> str:
        return f"{self._base}/{kind}/{id_}" if self._base and id_ is not None else ""


def rendered(
    db: SqlConnection,
    settings: Settings,
    recipient: Recipient,
    topic_id: int | None,
    content: Told,
    at: datetime,
) -> tuple[Rendered, str]:
    """Return what an email says, and the address by which its reader unsubscribes."""
    names, links = names_and_links(db, settings, recipient, content.about, at)
    if links["link"] and topic_id is not None:
        links["link"] += f"/topics/{topic_id}"
    made = notification_text.render(
        "notifications",
        language_of(settings, recipient),
        content.entries,
        names={**names, "title": content.title},
        links=links,
        more=content.more,
    )
    return made, links["stop"]


def names_and_links(
    db: SqlConnection, settings: Settings, recipient: Recipient, about: MailTopic, at: datetime
) -> tuple[dict[str, str], dict[str, str]]:
    """Return what the texts of all emails name, and where they lead."""
    base, secret = base_of(settings), settings["session.secret"]
    pages = base if settings["pages.forum"] else ""
    links = {
        "link": pages,
        "stop": unsubscribing.link(base, secret, recipient.id, about, at),
        "settings": f"{pages}/settings/mail" if pages else "",
    }
    return {"site_name": site_texts.name_of(db, settings), "login": recipient.login}, links
