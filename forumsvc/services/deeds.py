"""What moderators, administrators and the service do to what belongs to others, recorded once.

A deed is told in up to four places: an event, a record of the log, a notification and an email to
the user whom it concerns. `KINDS` says for each kind of deed which of them there are. What members
do without changing what is there already is an event alone: see `events`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..clock import rfc3339_or_none
from ..db.statements import insert_row
from ..log_lines import REQUEST_ID
from ..models import AdminAction, AuditRecord, EventType, MailKind, Visibility
from . import events, mails
from .moderation import audit_log, notices
from .moderation.notices import Notice


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that was done.

    actor_id: the user who did it, None at the command line and for the service itself; user_id:
    whom it concerns, the author of a post; reason: in the moderator's words; data: a small JSON
    object for the event; details: one for the log, both without email addresses and secrets; until:
    when a silence ends; title: of a post that is in no topic; email: the confirmed address of the
    user, None where they get no email.
    """

    what: EventType | AdminAction
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


class _Told(Enum):
    """When the user is notified."""

    NEVER = auto()
    IF_WHY = auto()  # with a reason, of what somebody else did
    ALWAYS = auto()


@dataclass(frozen=True, slots=True)
class _Kind:
    """How a kind of deed is told.

    log: who sees the record, None without one; own: whether there is one of what users do to what
    is theirs; event: the ids that the event has, none without one; links: whether the notification
    leads to the topic.
    """

    log: Visibility | None = Visibility.ADMIN
    own: bool = True
    event: tuple[str, ...] = ()
    told: _Told = _Told.NEVER
    notice: str | None = None
    links: bool = False
    mail: MailKind | None = None


_LOGGED = ("user_id", "topic_id", "reply_id", "node_id", "reason")
_NO_REQUEST = "-"
_USER, _POST = ("user_id",), ("topic_id", "reply_id")
_STAFF, _PUBLIC = Visibility.STAFF, Visibility.PUBLIC
_EDITED = _Kind(_STAFF, own=False, event=_POST)
_HIDDEN = _Kind(_PUBLIC, own=False, event=_POST, told=_Told.IF_WHY)
_CHANGED = _Kind(_PUBLIC, own=False, event=_POST, told=_Told.IF_WHY, links=True)
_BY_MODERATOR = _Kind(_PUBLIC, event=_POST, told=_Told.IF_WHY, links=True)
KINDS: dict[EventType | AdminAction, _Kind] = {
    **dict.fromkeys(AdminAction, _Kind()),
    EventType.TOPIC_UPDATED: _EDITED,
    EventType.TOPIC_MOVED: _EDITED,
    EventType.TOPIC_DELETED: _HIDDEN,
    EventType.TOPIC_RESTORED: _CHANGED,
    EventType.TOPIC_BANNED: _Kind(_PUBLIC, event=_POST, told=_Told.IF_WHY),
    EventType.TOPIC_UNBANNED: _BY_MODERATOR,
    EventType.TOPIC_CLOSED: _CHANGED,
    EventType.TOPIC_OPENED: _CHANGED,
    EventType.TOPIC_FEATURED: _BY_MODERATOR,
    EventType.TOPIC_UNFEATURED: _BY_MODERATOR,
    EventType.REPLY_UPDATED: _EDITED,
    EventType.REPLY_DELETED: _HIDDEN,
    EventType.REPLY_RESTORED: _CHANGED,
    EventType.POST_RELEASED: _Kind(
        None, event=_POST, told=_Told.ALWAYS, notice="held_post.released", links=True
    ),
    EventType.POST_REFUSED: _Kind(
        None, event=_USER, told=_Told.ALWAYS, notice="held_post.refused", links=True
    ),
    EventType.REVIEW_RESOLVED: _Kind(_STAFF, event=(*_USER, *_POST)),
    EventType.USER_SILENCED: _Kind(_STAFF, event=_USER, told=_Told.IF_WHY, mail=MailKind.SILENCED),
    EventType.USER_UNSILENCED: _Kind(
        _STAFF, event=_USER, told=_Told.ALWAYS, mail=MailKind.UNSILENCED
    ),
    EventType.USER_WARNED: _Kind(_STAFF, event=_USER, told=_Told.ALWAYS),
    EventType.USER_ROLE_CHANGED: _Kind(event=_USER),
    EventType.USER_DELETED: _Kind(event=_USER),
    AdminAction.USER_CLOSURE_REQUESTED: _Kind(_STAFF),
    AdminAction.USER_CLOSURE_WITHDRAWN: _Kind(_STAFF),
    AdminAction.PHOTO_DELETED: _Kind(_STAFF),
    AdminAction.POSTS_SWEPT: _Kind(_STAFF),
}
"""How each kind of deed is told; most actions of administrators are in the log alone."""


def record(db: Session, deed: Deed) -> None:
    """Record a deed in the transaction that does it, wherever it is to be told."""
    what, now = deed.what, deed.at
    kind = KINDS[what]
    is_own = deed.actor_id == deed.user_id
    if kind.event:
        ids = {name: getattr(deed, name) for name in kind.event}
        events.record(db, EventType(what), now, actor_id=deed.actor_id, data=deed.data, **ids)
    if kind.log is not None and (kind.own or not is_own):
        _log(db, deed, kind.log)
    if deed.user_id is None:
        return
    if kind.told is _Told.ALWAYS or (kind.told is _Told.IF_WHY and deed.reason and not is_own):
        about = deed.reason, deed.topic_id, deed.title, deed.until, kind.links
        notices.notify(db, now, deed.user_id, Notice(kind.notice or what, *about))
    if kind.mail is not None and deed.email is not None:
        said = {"reason": deed.reason or "", "until": rfc3339_or_none(deed.until) or ""}
        mails.enqueue(db, kind.mail, deed.email, now, user_id=deed.user_id, data=said)


def record_once(db: Session, deed: Deed, before: datetime | None) -> None:
    """Record what somebody does to a post that was in that state already since `before`.

    Nothing where the one who did it then is in the log: its author is not. Nothing either of what
    the service does itself.
    """
    if deed.actor_id is None or events.records_nothing(db):
        return
    same = {"action": str(deed.what), "topic_id": deed.topic_id, "reply_id": deed.reply_id}
    logged = select(AuditRecord.id).filter_by(**same, created_at=before)
    if db.scalar(logged.limit(1)) is None:
        record(db, deed)


def _log(db: Session, deed: Deed, visibility: Visibility) -> None:
    if events.records_nothing(db):
        return
    request_id, details = REQUEST_ID.get(), audit_log.details_of(db, deed.details)
    values: dict[str, Any] = {
        **{name: getattr(deed, name) for name in _LOGGED},
        "actor_id": audit_log.actor_of(db, deed.actor_id),
        "created_at": deed.at,
        "action": str(deed.what),
        "visibility": str(visibility),
        "via": str(audit_log.via_of(db, deed.actor_id)),
        "details": None if details is None else json.dumps(details, ensure_ascii=False),
        "request_id": None if request_id == _NO_REQUEST else request_id,
    }
    insert_row(db, AuditRecord, **values)
