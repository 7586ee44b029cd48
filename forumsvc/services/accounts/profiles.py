"""The profiles of users."""

from datetime import datetime
from typing import Any

from sqlalchemy import and_, select
from sqlalchemy.orm import Session

from ...cache.invalidation import update_columns
from ...db.statements import delete_of, with_row_locks
from ...errors import NotFound
from ...models import PROFILE_TEXTS, EventType, MailPace, MailTopic, Photo, User, UserState
from ...search.normal_form import name_key
from ...text.messages import Message
from .. import events

_DELETED = Message("The account is deleted.")
_EMPTY: dict[str, Any] = dict.fromkeys(
    (
        "name",
        "name_key",
        "avatar",
        "unwanted_notifications",
        *(text.name for text in PROFILE_TEXTS),
    ),
    "",
)
_EMPTY |= {"locale": None, "digest_at": None, "mail_refusals": 0, "mail_refused_at": None}
_EMPTY |= {f"mail_{about}": str(MailPace.OFF) for about in MailTopic}


def edit(db: Session, user_id: int, now: datetime, **columns: Any) -> None:
    """Set the given columns of a user's profile.

    A form sends all its fields: an unchanged name must not invalidate the cached pages.
    Raises NotFound if the user was deleted in the meantime.
    """
    is_user = and_(User.id == user_id, User.state != UserState.DELETED)
    values = [User.__table__.c[name] for name in columns]
    # Locked, so that the UPDATE finds the same values.
    before = db.execute(with_row_locks(select(User.id, *values).where(is_user), User)).first()
    if before is None:
        raise NotFound(_DELETED)
    changed = {name: new for name, new in columns.items() if before._mapping[name] != new}
    if "name" in changed:
        changed["name_key"] = name_key(changed["name"])
    if changed:
        db.execute(update_columns(User, updated_at=now, **changed).where(User.id == user_id))
        events.record(db, EventType.USER_UPDATED, now, actor_id=user_id, user_id=user_id)


def erase(db: Session, user_id: int) -> str:
    """Empty a user's profile, and delete the photo of their avatar.

    Returns the name of the avatar's file, empty for none: the caller removes the file after the
    commit (`photos.remove_unused`). The caller has locked the user's row.
    """
    avatar = db.execute(select(User.avatar).where(User.id == user_id)).scalar_one()
    db.execute(update_columns(User, **_EMPTY).where(User.id == user_id))
    if avatar:
        db.execute(delete_of(Photo).where(Photo.user_id == user_id, Photo.name == avatar))
    return avatar
