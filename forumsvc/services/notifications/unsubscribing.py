"""Unsubscribing from emails of a kind by the link in one of them, without a log-in (RFC 8058)."""

from datetime import datetime, timedelta
from urllib.parse import urlencode

from sqlalchemy import select
from sqlalchemy.orm import Session

from ...cache.invalidation import update_columns
from ...db.execution import SqlConnection
from ...models import MailPace, MailTopic, User, UserState
from ..accounts import signed_tokens
from . import mail_choices

TTL = timedelta(days=2 * 365)
PATH = "/mail/unsubscribe"
"""The page that the link leads to; the same address takes the POST of a mail program."""


def link(base: str, secret: str, user_id: int, about: MailTopic, now: datetime) -> str:
    """Return the address by which a user unsubscribes. base: `site.url`."""
    token = signed_tokens.create(secret, _purpose(about), user_id, now + TTL, ())
    return f"{base}{PATH}?{urlencode({'about': str(about), 'token': token})}"


def verify(
    db: SqlConnection, secret: str, about: object, token: object, now: datetime
) -> tuple[int, MailTopic] | None:
    """Return whom a link unsubscribes, and from what; None if it is forged or has expired.

    A link can be used any number of times, as mail programs may follow it twice.
    """
    if not isinstance(token, str) or about not in list(MailTopic):
        return None
    kind = MailTopic(str(about))

    def find(user_id: int) -> int | None:
        found: int | None = db.scalar(
            select(User.id).where(User.id == user_id, User.state != UserState.DELETED)
        )
        return found

    user_id = signed_tokens.verify(secret, _purpose(kind), token, now, find, lambda _: ())
    return None if user_id is None else (user_id, kind)


def unsubscribe(db: Session, user_id: int, about: MailTopic, now: datetime) -> None:
    """Send a user no more emails of this kind; the other kinds stay."""
    columns = mail_choices.columns({str(about): str(MailPace.OFF)}, now)
    db.execute(update_columns(User, **columns).where(User.id == user_id))


def _purpose(about: MailTopic) -> str:
    return f"unsubscribe from {about}"
