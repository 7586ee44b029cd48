"""The kinds of emails, and which of them people choose."""

from enum import StrEnum

from ..text.messages import Message


class MailKind(StrEnum):
    """What an email is about; each has a template in `mail/templates`."""

    PASSWORD_RESET = "password_reset"  # noqa: S105 - no password
    INVITATION = "invitation"
    """To somebody for whom an admin has made an account: a link to choose a password."""
    EMAIL_CONFIRMATION = "email_confirmation"
    EMAIL_CHANGED = "email_changed"
    """To the address that an account had before."""
    WEBHOOK_OFF = "webhook_off"
    """To each admin: the service has switched a webhook off."""
    SILENCED = "silenced"
    UNSILENCED = "unsilenced"
    ACCOUNT_APPROVED = "account_approved"
    ACCOUNT_REFUSED = "account_refused"
    DATA_READY = "data_ready"
    """The export of their data that a user asked for."""
    ACCOUNT_CLOSING = "account_closing"
    """To a user who closes their account: when, and how to take it back."""
    ACCOUNT_CLOSED = "account_closed"
    """To the address that an erased account had; nothing is kept of it."""
    TEST = "test"
    """Asked for by an admin; `forumsvc mail test` sends it at once."""


class MailPace(StrEnum):
    """When emails about what happened are sent."""

    INSTANT = "instant"
    """Soon: a few minutes are waited for more."""
    HOURLY = "hourly"
    OFF = "off"

    DAILY = "daily"
    WEEKLY = "weekly"


class MailTopic(StrEnum):
    """What emails about what happened are about; a user has a `MailPace` for each."""

    MENTION = "mention"
    REPLY = "reply"
    FOLLOW = "follow"
    MODERATION = "moderation"
    DIGEST = "digest"
    """Of all that is unread, and of new topics."""


_OF_EVENTS = (MailPace.INSTANT, MailPace.HOURLY, MailPace.OFF)
MAIL_PACES = {
    **dict.fromkeys(MailTopic, _OF_EVENTS),
    MailTopic.DIGEST: (MailPace.DAILY, MailPace.WEEKLY, MailPace.OFF),
}
"""What may be chosen."""
MAIL_LABELS = {
    MailTopic.MENTION: Message("Somebody mentions me"),
    MailTopic.REPLY: Message("A reply in my topic, or in one that I follow"),
    MailTopic.FOLLOW: Message("Somebody whom I follow opens a topic"),
    MailTopic.MODERATION: Message("A decision of the moderators about me or my posts"),
    MailTopic.DIGEST: Message("A digest: what I have not read, and new topics"),
}
"""The words of the settings."""
