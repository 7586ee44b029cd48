"""What a caller is told whose permission is denied."""

from typing import Any

from ..clock import rfc3339
from ..text.messages import Message, Time
from .identity import Identity, Level, Silence

_UNCONFIRMED = Message(
    "Confirm your email address first: follow the link in the email that was sent to you."
)


def denial_message(caller: Identity, item: Any, permission: str) -> str | None:
    """Return why a user may not do something, or None if there is no special reason.

    item: the resource that denies it.
    """
    if caller.silence is not None:
        return silence_message(caller.silence)
    if caller.level == Level.UNCONFIRMED:
        return _UNCONFIRMED
    if caller.level == Level.AWAITING_APPROVAL:
        return Message("A moderator has to approve your account before you can write.")
    reason: str | None = item.denial_reason(permission)
    return reason


def silence_message(silence: Silence) -> Message:
    """Return until when and why a user may only read."""
    if silence.until is None:
        return Message("You are silenced: %(reason)s", reason=silence.reason)
    return Message(
        "You are silenced until %(until)s: %(reason)s",
        until=Time(rfc3339(silence.until)),
        reason=silence.reason,
    )
