"""What a caller is told whose permission is denied."""

from dataclasses import replace
from typing import Any

from ..clock import rfc3339
from ..text.error_codes import ErrorCode
from ..text.messages import Message, Time
from .identity import Identity, Level, Silence
from .policy import granted

DENIED = "You may not do this."
"""What is said where there is no special reason."""
NO_USER = Message("This access token belongs to no user.").coded(ErrorCode.NO_USER)
_UNCONFIRMED = Message(
    "Confirm your email address first: follow the link in the email that was sent to you."
).coded(ErrorCode.UNCONFIRMED)


def denial_message(
    caller: Identity, item: Any, permission: str, otherwise: str = DENIED
) -> Message:
    """Return why a user may not do something, with the code of it.

    item: the resource that denies it; otherwise: what is said where there is no special reason.
    """
    reason = special_reason(caller, item, permission)
    if isinstance(reason, Message):
        return reason
    return Message(reason or otherwise).coded(_code(caller, item, permission))


def special_reason(caller: Identity, item: Any, permission: str) -> str | None:
    """Return the special reason why a user may not do something, or None if there is none."""
    if caller.silence is not None:
        return silence_message(caller.silence)
    if caller.level == Level.UNCONFIRMED:
        return _UNCONFIRMED
    if caller.level == Level.AWAITING_APPROVAL:
        return Message("A moderator has to approve your account before you can write.").coded(
            ErrorCode.AWAITS_APPROVAL
        )
    reason: str | None = item.denial_reason(permission)
    return reason


def _code(caller: Identity, item: Any, permission: str) -> ErrorCode:
    if caller.level == Level.BLOCKED:
        return ErrorCode.SILENCED
    owner_id = getattr(getattr(item, "row", None), "user_id", None)
    if owner_id in (None, caller.user_id):
        return ErrorCode.FORBIDDEN
    is_owners = granted(replace(caller, user_id=owner_id), item, permission)
    return ErrorCode.NOT_YOURS if is_owners else ErrorCode.FORBIDDEN


def silence_message(silence: Silence) -> Message:
    """Return until when and why a user may only read."""
    if silence.until is None:
        reason = Message("You are silenced: %(reason)s", reason=silence.reason)
    else:
        reason = Message(
            "You are silenced until %(until)s: %(reason)s",
            until=Time(rfc3339(silence.until)),
            reason=silence.reason,
        )
    return reason.coded(ErrorCode.SILENCED)
