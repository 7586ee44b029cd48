"""Of what users want emails, and when those are due: chosen by each, with defaults of the settings.

A notification is written with the time at which an email about it is due, by the choice that its
user has at that moment; `notification_mails` has what becomes of it.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, bindparam, case, literal, select
from sqlalchemy.orm import Session

from ...cache.invalidation import update_columns
from ...clock import rfc3339_or_none
from ...db.base import UtcDateTime
from ...db.execution import ReadConnection, SqlConnection, row
from ...errors import Invalid
from ...models import MAIL_PACES, MailPace, MailTopic, User
from ...models.notification import NOTIFICATION_KINDS
from ...text.messages import Message

GATHER = timedelta(minutes=3)
"""How long an email that is sent at once waits for more."""
HOUR = timedelta(hours=1)
"""How long one that is sent hourly waits, and how far two about a topic are apart."""
INTERVALS: dict[str, timedelta] = {
    MailPace.DAILY: timedelta(days=1),
    MailPace.WEEKLY: timedelta(days=7),
}
"""How far digests are apart."""
COLUMNS: dict[MailTopic, Any] = {about: getattr(User, f"mail_{about}") for about in MailTopic}
_NO_INSTANT = Message("must be hourly or off: this forum sends no email at once")
_COLUMNS: list[Any] = [column.label(about) for about, column in COLUMNS.items()]
_SELECT: Any = select(*_COLUMNS, User.mail_refused_at).where(User.id == bindparam("user_id"))


def times(now: datetime) -> dict[str, datetime]:
    """Return the parameters of `due_at`."""
    return {"mail_soon": now + GATHER, "mail_hourly": now + HOUR}


def due_at(type_: Any) -> ColumnElement[Any]:
    """Return when an email to a user is due about a notification; null where they want none.

    type_: of the notification, a column or parameter.
    """
    choices = {
        str(kind): COLUMNS[declared.mail]
        for kind, declared in NOTIFICATION_KINDS.items()
        if declared.mail is not None
    }
    chosen = case(choices, value=type_)
    soon, hourly = (bindparam(name, type_=UtcDateTime) for name in ("mail_soon", "mail_hourly"))
    return case({str(MailPace.INSTANT): soon, str(MailPace.HOURLY): hourly}, value=chosen)


def allowed(settings: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return what one may choose, by `MailTopic`."""
    without = () if settings["mail.allow_instant"] else (MailPace.INSTANT,)
    return {
        str(about): tuple(str(pace) for pace in paces if pace not in without)
        for about, paces in MAIL_PACES.items()
    }


def of_user(db: ReadConnection, settings: Mapping[str, Any], user_id: int) -> dict[str, str | None]:
    """Return what a user has chosen, as far as the settings allow it, and as `refused_at` since
    when nothing is sent, because their address is refused.
    """
    return _shown(row(db, _SELECT, {"user_id": user_id}), settings)


def _shown(chosen: Any, settings: Mapping[str, Any]) -> dict[str, str | None]:
    values = {str(about): str(getattr(chosen, about)) for about in MailTopic}
    refused_at = rfc3339_or_none(chosen.mail_refused_at)
    return {**_as_allowed(values, settings), "refused_at": refused_at}


def _as_allowed(values: Mapping[str, str], settings: Mapping[str, Any]) -> dict[str, str]:
    may = allowed(settings)
    return {
        name: value if value in may[name] else str(MailPace.HOURLY)
        for name, value in values.items()
    }


def details(db: SqlConnection, settings: Mapping[str, Any], user_id: int) -> dict[str, Any]:
    """Return what a user has chosen, and where and in which language their emails go."""
    account = select(User.id, User.login, User.email, User.email_confirmed_at, User.locale)
    row = db.execute(account.where(User.id == user_id)).one()
    confirmed_at = rfc3339_or_none(row.email_confirmed_at)
    who = {"id": row.id, "login": row.login, "email": row.email}
    chosen = db.execute(_SELECT, {"user_id": user_id}).one()
    return {
        **who,
        "email_confirmed_at": confirmed_at,
        "locale": row.locale,
        **_shown(chosen, settings),
    }


def choose(
    db: Session,
    settings: Mapping[str, Any],
    user_id: int,
    now: datetime,
    chosen: Mapping[str, str],
) -> None:
    """Change a part of what a user has chosen. Raises Invalid for what the settings do not allow.

    chosen: by `MailTopic`.
    """
    may = allowed(settings)
    for name, value in chosen.items():
        if value not in may[name]:
            raise Invalid(name, _NO_INSTANT)
    if not chosen:
        return
    values: dict[str, Any] = columns(chosen, now)
    if MailTopic.DIGEST in chosen:  # the same choice again leaves the time
        is_same = User.mail_digest == chosen[MailTopic.DIGEST]
        next_at = literal(values["digest_at"], UtcDateTime)
        values["digest_at"] = case((is_same, User.digest_at), else_=next_at)
    db.execute(update_columns(User, **values).where(User.id == user_id))


def columns(chosen: Mapping[str, str], now: datetime) -> dict[str, Any]:
    """Return the columns for what was chosen. chosen: by `MailTopic`."""
    values: dict[str, Any] = {f"mail_{name}": value for name, value in chosen.items()}
    if MailTopic.DIGEST in chosen:
        interval = INTERVALS.get(chosen[MailTopic.DIGEST])
        values["digest_at"] = None if interval is None else now + interval
    return values


def defaults(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return what is chosen for a new account, by `MailTopic`."""
    values = {str(about): settings[f"mail.defaults.{about}"] for about in MailTopic}
    return _as_allowed(values, settings)
