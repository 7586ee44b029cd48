"""What each kind of email says, made when it is sent."""

from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import urlencode

from sqlalchemy import Connection, select

from .. import clock
from ..mail import texts
from ..models import MailKind, User
from ..services import site_texts
from ..services.accounts import email_confirmation, invitations, password_reset
from ..services.mails import Mail
from ..settings import Settings


class MailText(NamedTuple):
    """An email as it is sent; recipient: an address."""

    recipient: str
    subject: str
    text: str


def text_of(db: Connection, settings: Settings, mail: Mail) -> MailText | None:
    """Return what an email says and to whom, or None if there is nobody to send it to."""
    return _KINDS[mail.kind](db, settings, mail)


def _password_reset(db: Connection, settings: Settings, mail: Mail) -> MailText | None:
    """Nobody gets it if no account has the address, or if the link would have expired."""
    account = password_reset.find(db, mail.recipient)
    if account is None or clock.now() >= mail.created_at + password_reset.TTL:
        return None
    secret = settings["session.secret"]
    # From the time of the request, so that each attempt sends the same link.
    token = password_reset.create_reset_token(secret, account, mail.created_at)
    link = f"{mail.data['url']}?{urlencode({'reset_token': token})}"
    # That of the page where it was asked for; rows of before have none.
    language = mail.data.get("language", settings["site.language"])
    values = {"site_name": site_texts.name_of(db, settings), "login": account.login, "link": link}
    # To the address of the account: the requested one may only look the same.
    return MailText(account.email, *texts.render(mail.kind, language, **values))


def _invitation(db: Connection, settings: Settings, mail: Mail) -> MailText | None:
    """Nobody gets it who has a password by now, or if the link would have expired."""
    account = password_reset.find_by_id(db, mail.user_id or 0)
    is_late = clock.now() >= mail.created_at + invitations.TTL
    if account is None or account.password_hash is not None or is_late:
        return None
    token = invitations.create_token(settings["session.secret"], account, mail.created_at)
    link = f"{mail.data['url']}?{urlencode({'reset_token': token})}"
    values = {"site_name": site_texts.name_of(db, settings), "login": account.login, "link": link}
    values["inviter"] = mail.data["inviter"]
    return MailText(account.email, *texts.render(mail.kind, mail.data["language"], **values))


def _email_confirmation(db: Connection, settings: Settings, mail: Mail) -> MailText | None:
    """Nobody gets it if the address waits no more, or if the link would have expired."""
    waiting = email_confirmation.find(db, mail.user_id or 0)
    is_late = clock.now() >= mail.created_at + email_confirmation.TTL
    if waiting is None or waiting.address != mail.recipient or is_late:
        return None
    token = email_confirmation.create_token(settings["session.secret"], waiting, mail.created_at)
    query = {"confirmation_token": token}
    if "next" in mail.data:
        query["next"] = mail.data["next"]
    link = f"{mail.data['url']}?{urlencode(query)}"
    values = {"site_name": site_texts.name_of(db, settings), "login": waiting.login, "link": link}
    return MailText(mail.recipient, *texts.render(mail.kind, mail.data["language"], **values))


def _to_account(db: Connection, settings: Settings, mail: Mail) -> MailText | None:
    """Nobody gets it if the account is deleted."""
    login = db.scalar(select(User.login).where(User.id == mail.user_id, User.email.is_not(None)))
    if login is None:
        return None
    values = {"site_name": site_texts.name_of(db, settings), "login": login, **mail.data}
    language = values.pop("language", settings["site.language"])
    return MailText(mail.recipient, *texts.render(mail.kind, language, **values))


def _account_closing(db: Connection, settings: Settings, mail: Mail) -> MailText | None:
    """Nobody gets it if the account stays after all."""
    closing = select(User.id).where(User.id == mail.user_id, User.closes_at.is_not(None))
    return None if db.scalar(closing) is None else _to_account(db, settings, mail)


def _with_its_data(db: Connection, settings: Settings, mail: Mail) -> MailText | None:
    """Made of what the row has: an account may be deleted since."""
    values = {"site_name": site_texts.name_of(db, settings), **mail.data}
    return MailText(mail.recipient, *texts.render(mail.kind, settings["site.language"], **values))


_KINDS: dict[MailKind, Callable[[Connection, Settings, Mail], MailText | None]] = {
    MailKind.PASSWORD_RESET: _password_reset,
    MailKind.INVITATION: _invitation,
    MailKind.WEBHOOK_OFF: _with_its_data,
    MailKind.EMAIL_CONFIRMATION: _email_confirmation,
    MailKind.EMAIL_CHANGED: _to_account,
    MailKind.SILENCED: _to_account,
    MailKind.UNSILENCED: _to_account,
    MailKind.DATA_READY: _to_account,
    MailKind.ACCOUNT_CLOSING: _account_closing,
    MailKind.ACCOUNT_CLOSED: _with_its_data,
    MailKind.ACCOUNT_APPROVED: _with_its_data,
    MailKind.ACCOUNT_REFUSED: _with_its_data,
    MailKind.TEST: _to_account,
}
