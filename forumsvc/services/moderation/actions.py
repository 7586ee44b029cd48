"""What moderators, administrators and the service do to what belongs to others, recorded once.

An action is seen in up to four places: an event, a record of the log, a notification and an email
to the user whom it concerns. `ACTION_KINDS` says for each kind in which. What members do without
changing what is there already is an event alone: see `events`.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ...clock import rfc3339_or_none
from ...db.statements import insert_row
from ...log_lines import REQUEST_ID
from ...models import AdminAction, AuditRecord, EventType, MailKind, Via, Visibility
from ...models.states import REPLY_STATES, TOPIC_STATES
from ...text.messages import Message
from .. import events, mails
from . import audit_log, notices
from .notices import Notice


@dataclass(frozen=True, slots=True)
class Action:
    """Something that was done.

    actor_id: the user who did it, None at the command line and for the service itself; user_id:
    whom it concerns, the author of a post; reason: in the moderator's words; data: a small JSON
    object for the event; details: one for the log, both without email addresses and secrets; until:
    when a silence ends; title: of a post that is in no topic; email: the confirmed address of the
    user, None where they get no email.
    """

    type: EventType | AdminAction
    actor_id: int | None
    at: datetime
    user_id: int | None = None
    topic_id: int | None = None
    reply_id: int | None = None
    node_id: int | None = None
    reason: str | None = None
    data: Mapping[str, Any] | None = None
    details: Mapping[str, Any] | None = None
    until: datetime | None = None
    title: str | None = None
    email: str | None = None


class NotifyWhen(Enum):
    """When the user is notified. REASON_GIVEN: of what somebody else did, and why."""

    NEVER = auto()
    REASON_GIVEN = auto()
    ALWAYS = auto()


@dataclass(frozen=True, slots=True)
class Kind:
    """Where a kind of action is seen.

    words: in the log on the pages, None where it is in no log; visibility: of the record; own:
    whether there is one of what users do to what is theirs; event: the ids that the event has, none
    without one; notice: the name of the notification, if it has another one; links: whether that
    leads to the topic.
    """

    words: Message | None
    visibility: Visibility = Visibility.ADMIN
    own: bool = True
    event: tuple[str, ...] = ()
    notify: NotifyWhen = NotifyWhen.NEVER
    notice: str | None = None
    links: bool = False
    mail: MailKind | None = None


_LOGGED = ("user_id", "topic_id", "reply_id", "node_id", "reason")
_NO_REQUEST = "-"
_USER, _POST = ("user_id",), ("topic_id", "reply_id")
_STAFF, _PUBLIC = Visibility.STAFF, Visibility.PUBLIC


def _of_states() -> Iterator[tuple[EventType, Kind]]:
    for state in (*TOPIC_STATES, *REPLY_STATES):
        for change in (state.begin, state.end):
            yield (
                change.event,
                Kind(
                    change.logged,
                    _PUBLIC,
                    own=not state.by_authors,
                    event=_POST,
                    notify=NotifyWhen.REASON_GIVEN,
                    links=not (state.hides and change is state.begin),
                ),
            )


ACTION_KINDS: dict[EventType | AdminAction, Kind] = {
    **dict(_of_states()),
    EventType.TOPIC_UPDATED: Kind(Message("The topic is edited"), _STAFF, own=False, event=_POST),
    EventType.TOPIC_MOVED: Kind(
        Message("The topic is moved to another node"), _STAFF, own=False, event=_POST
    ),
    EventType.REPLY_UPDATED: Kind(Message("The reply is edited"), _STAFF, own=False, event=_POST),
    EventType.POST_RELEASED: Kind(
        None, event=_POST, notify=NotifyWhen.ALWAYS, notice="held_post.released", links=True
    ),
    EventType.POST_REFUSED: Kind(
        None, event=_USER, notify=NotifyWhen.ALWAYS, notice="held_post.refused", links=True
    ),
    EventType.REVIEW_RESOLVED: Kind(Message("A review is decided"), _STAFF, event=(*_USER, *_POST)),
    EventType.USER_SILENCED: Kind(
        Message("The user is silenced"),
        _STAFF,
        event=_USER,
        notify=NotifyWhen.REASON_GIVEN,
        mail=MailKind.SILENCED,
    ),
    EventType.USER_UNSILENCED: Kind(
        Message("The user may write again"),
        _STAFF,
        event=_USER,
        notify=NotifyWhen.ALWAYS,
        mail=MailKind.UNSILENCED,
    ),
    EventType.USER_WARNED: Kind(
        Message("The user is warned"), _STAFF, event=_USER, notify=NotifyWhen.ALWAYS
    ),
    EventType.USER_ROLE_CHANGED: Kind(Message("The user has another role"), event=_USER),
    EventType.USER_DELETED: Kind(Message("The user is deleted"), event=_USER),
    AdminAction.USER_ADDED: Kind(Message("A user is added")),
    AdminAction.USER_EXPORTED: Kind(Message("The data of the user is exported")),
    AdminAction.USER_PASSWORD_SET: Kind(Message("The user has another password")),
    AdminAction.USER_EMAIL_CONFIRMED: Kind(Message("The email address of the user is confirmed")),
    AdminAction.USER_PASSWORD_LINK: Kind(Message("The user has got a link to set a password")),
    AdminAction.USER_EDITED: Kind(
        Message("The login, name or email address of the user is changed")
    ),
    AdminAction.USER_ERASED: Kind(Message("The user is erased")),
    AdminAction.USER_CLOSURE_REQUESTED: Kind(
        Message("The user has asked to close their account"), _STAFF
    ),
    AdminAction.USER_CLOSURE_WITHDRAWN: Kind(
        Message("The user keeps their account after all"), _STAFF
    ),
    AdminAction.CLIENT_CREATED: Kind(Message("An application is registered")),
    AdminAction.CLIENT_DELETED: Kind(Message("An application is deleted")),
    AdminAction.TOKEN_ISSUED: Kind(Message("An access token is issued")),
    AdminAction.TOKEN_REVOKED: Kind(Message("An access token is revoked")),
    AdminAction.WEBHOOK_CREATED: Kind(Message("A webhook is added")),
    AdminAction.WEBHOOK_UPDATED: Kind(Message("A webhook is changed")),
    AdminAction.WEBHOOK_DELETED: Kind(Message("A webhook is deleted")),
    AdminAction.NODE_CREATED: Kind(Message("A node is added")),
    AdminAction.NODE_UPDATED: Kind(Message("A node is changed")),
    AdminAction.NODE_DELETED: Kind(Message("A node is deleted")),
    AdminAction.SECTION_CREATED: Kind(Message("A section is added")),
    AdminAction.SECTION_UPDATED: Kind(Message("A section is changed")),
    AdminAction.SECTION_DELETED: Kind(Message("A section is deleted")),
    AdminAction.SITE_UPDATED: Kind(
        Message("The name, the texts or the logo of the forum are changed")
    ),
    AdminAction.PHOTO_DELETED: Kind(Message("A photo is deleted"), _STAFF),
    AdminAction.POSTS_SWEPT: Kind(
        Message("Posts of the user are hidden, deleted or shown again"), _STAFF
    ),
    AdminAction.VERSION_HIDDEN: Kind(Message("A former text of a post is hidden"), _STAFF),
    AdminAction.ACCESS_BLOCK_CREATED: Kind(Message("An address is blocked")),
    AdminAction.ACCESS_BLOCK_UPDATED: Kind(Message("The block of an address is changed")),
    AdminAction.ACCESS_BLOCK_DELETED: Kind(Message("The block of an address is lifted")),
    AdminAction.SETTINGS_CHANGED: Kind(Message("Settings are changed")),
    AdminAction.LOG_TRIMMED: Kind(Message("Old records of the log are deleted")),
}


def record(db: Session, action: Action) -> None:
    """Record an action, wherever it is to be seen, in the transaction in which it is done."""
    kind = ACTION_KINDS[action.type]
    if kind.event:
        ids = {name: getattr(action, name) for name in kind.event}
        type_, data = EventType(action.type), action.data
        events.record(db, type_, action.at, actor_id=action.actor_id, data=data, **ids)
    _log_and_tell(db, action)


def take_over(db: Session, action: Action, since: datetime) -> bool:
    """Record what somebody does to a post that is in that state already, since `since`.

    Return whether the state is theirs from now on: unless they are the author, or staff have
    decided it before. No event tells of it, as others see no change, and the log has nothing of
    what the service does itself.
    """
    post = action.topic_id, action.reply_id
    is_own = action.actor_id == action.user_id
    if is_own or is_decided(db, EventType(action.type), *post, since=since):
        return False
    if action.actor_id is not None or audit_log.via_of(db, None) is not Via.AUTO:
        _log_and_tell(db, action)
    return True


def is_decided(
    db: Session, type_: EventType, topic_id: int | None, reply_id: int | None, *, since: datetime
) -> bool:
    """Return whether staff began the state of a post that such an event begins, at `since`.

    Not its author, who is in no log, and not a sweep or the service itself.
    """
    same = {"action": str(type_), "topic_id": topic_id, "reply_id": reply_id, "created_at": since}
    logged = select(AuditRecord.id).filter_by(**same).where(AuditRecord.via != Via.AUTO)
    return db.scalar(logged.limit(1)) is not None


def _log_and_tell(db: Session, action: Action) -> None:
    kind, now = ACTION_KINDS[action.type], action.at
    is_own = action.actor_id == action.user_id
    if kind.words is not None and (kind.own or not is_own):
        _log(db, action, kind.visibility)
    if action.user_id is None:
        return
    has_reason = bool(action.reason) and not is_own
    if kind.notify is NotifyWhen.ALWAYS or (kind.notify is NotifyWhen.REASON_GIVEN and has_reason):
        subject = action.reason, action.topic_id, action.title, action.until, kind.links
        notices.notify(db, now, [action.user_id], Notice(kind.notice or action.type, *subject))
    if kind.mail is not None and action.email is not None:
        data = {"reason": action.reason or "", "until": rfc3339_or_none(action.until) or ""}
        mails.enqueue(db, kind.mail, action.email, now, user_id=action.user_id, data=data)


def _log(db: Session, action: Action, visibility: Visibility) -> None:
    if events.records_nothing(db):
        return
    request_id, details = REQUEST_ID.get(), audit_log.details_of(db, action.details)
    values: dict[str, Any] = {
        **{name: getattr(action, name) for name in _LOGGED},
        "actor_id": audit_log.actor_of(db, action.actor_id),
        "created_at": action.at,
        "action": str(action.type),
        "visibility": str(visibility),
        "via": str(audit_log.via_of(db, action.actor_id)),
        "details": None if details is None else json.dumps(details, ensure_ascii=False),
        "request_id": None if request_id == _NO_REQUEST else request_id,
    }
    insert_row(db, AuditRecord, **values)
