"""Telling a user what moderators did about them: a notification in the transaction that does it.

It does not name the moderator: the built-in user `system` stands in their place. Its row is that of
a deleted user: it cannot log in, is in no list, and nobody can follow or block it.
"""

import json
from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import and_, select
from sqlalchemy.orm import Session

from ...clock import rfc3339_or_none
from ...db.statements import insert_or_ignore
from ...models import NotificationType, Role, Topic, User, UserState
from ...models.states import REPLY_STATES, TOPIC_STATES, changes
from ...queries.topics import VISIBLE
from ...text.messages import Message
from ..notifications.notify import send

_LOGIN = "system"
_LOGINS = (_LOGIN, *(f"{_LOGIN}-{number}" for number in range(1, 10)))
"""The first free one is taken: a member may have had the login before it was reserved."""


WORDS = {
    **{str(change.event): change.notice for change in changes((*TOPIC_STATES, *REPLY_STATES))},
    "user.silenced": Message("you can only read"),
    "user.unsilenced": Message("you can write again"),
    "user.warned": Message("a warning"),
    "report.unfounded": Message("was reported, and stays:"),
    "report.upheld": Message("thank you for your report: it was right"),
    "report.dismissed": Message("thank you for your report: there is nothing to do"),
    "held_post.released": Message("your post is published in"),
    "held_post.refused": Message("your post was not published:"),
    "account.approved": Message("your account is approved: you can write now"),
    "role.member": Message("you are an ordinary member now"),
    "role.vip": Message("you are a VIP now"),
    "role.maintainer": Message("you are a maintainer now, and moderate"),
    "role.admin": Message("you are an administrator now: you moderate, and see to the forum"),
}
"""What users read of each action, before the title of the topic."""


class Notice(NamedTuple):
    """What users are told.

    action: a key of `WORDS`; until: when a silence ends; topic_id: of the
    topic that it is about; title: where there is none; links: whether it leads to the topic, unless
    that is hidden.
    """

    action: str
    reason: str | None
    topic_id: int | None = None
    title: str | None = None
    until: datetime | None = None
    links: bool = False


def notify(db: Session, now: datetime, user_ids: Collection[int], notice: Notice) -> None:
    """Notify users of an action of a moderator, by as many statements as for one user."""
    title, shown_id = notice.title, None
    if notice.topic_id is not None:
        is_visible = and_(*VISIBLE)
        columns = select(Topic.title, is_visible.label("is_visible"))
        topic = db.execute(columns.where(Topic.id == notice.topic_id)).one()
        title = topic.title
        shown_id = notice.topic_id if notice.links and topic.is_visible else None
    until = rfc3339_or_none(notice.until)
    details: dict[str, Any] = {
        "action": str(notice.action),
        "reason": notice.reason,
        "until": until,
    }
    if notice.topic_id is not None:
        # For an erasure, which removes the title.
        details["topic_id"] = notice.topic_id
    details_json = json.dumps({**details, "title": title}, ensure_ascii=False)
    actor_id = _builtin_user_id(db, now)
    send(
        db,
        NotificationType.MODERATION,
        actor_id,
        now,
        user_ids,
        topic_id=shown_id,
        details=details_json,
    )


def _builtin_user_id(db: Session, now: datetime) -> int:
    """Return the id of the built-in user, which is created when it is needed first."""
    query = select(User.id).where(User.login_key.in_(_LOGINS), User.is_builtin.is_(True))
    user_id: int | None = db.scalar(query)
    if user_id is not None:
        return user_id
    for login in _LOGINS:
        values = {"login": login, "login_key": login, "role": Role.MEMBER, "is_builtin": True}
        state = {"state": UserState.DELETED, "created_at": now, "updated_at": now}
        if insert_or_ignore(db, User, **values, **state):
            break
        # Another transaction may have just created it.
        if (user_id := db.scalar(query)) is not None:
            return user_id
    return db.scalars(query).one()
