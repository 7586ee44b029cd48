"""The codes of errors: what went wrong, in a word for programs."""

from enum import StrEnum
from typing import Self

from .messages import Message


class ErrorCode(StrEnum):
    """What went wrong (`code` of RFC 9457), with a short text.

    An error has that of its class, unless its message has one (`Message.coded`). The guide says of
    each what it means. Later versions may add to them, and change none.
    """

    summary: Message

    def __new__(cls, word: str, summary: Message) -> Self:
        code = str.__new__(cls, word)
        code._value_, code.summary = word, summary
        return code

    MALFORMED = "malformed", Message("The request cannot be read")
    PARAMETER = "parameter", Message("A parameter is missing or wrong")
    TAKEN = "taken", Message("Another account has this already")
    CONFLICT = "conflict", Message("This does not fit the present state")
    UNAUTHENTICATED = "unauthenticated", Message("An access token is needed")
    INVALID_TOKEN = "invalid_token", Message("The access token is not valid")
    FORBIDDEN = "forbidden", Message("This is not allowed")
    SCOPE_MISSING = "scope_missing", Message("The access token lacks a scope")
    NO_USER = "no_user", Message("The access token belongs to no user")
    NOT_YOURS = "not_yours", Message("This belongs to somebody else")
    YOUR_OWN = "your_own", Message("This is your own")
    SILENCED = "silenced", Message("You may only read")
    UNCONFIRMED = "unconfirmed", Message("Your email address is not confirmed")
    AWAITS_APPROVAL = "awaits_approval", Message("Your account waits for approval")
    TOO_NEW = "too_new", Message("Your account is too new")
    TOPIC_CLOSED = "topic_closed", Message("The topic is closed")
    TOPIC_BANNED = "topic_banned", Message("The topic is banned")
    TOPIC_ANSWERED = "topic_answered", Message("Others have replied to the topic")
    USER_DELETED = "user_deleted", Message("The user is deleted")
    REGISTRATION_CLOSED = "registration_closed", Message("Registration is closed")
    NETWORK_BLOCKED = "network_blocked", Message("Your network is blocked")
    NOT_FOUND = "not_found", Message("Not found")
    GONE = "gone", Message("Deleted")
    METHOD_NOT_ALLOWED = "method_not_allowed", Message("The method is not allowed here")
    CHANGED = "changed", Message("This has changed")
    TOO_LARGE = "too_large", Message("Too large")
    UNSUPPORTED_BODY = "unsupported_body", Message("The body cannot be read")
    KEY_REUSED = "key_reused", Message("The key was used before")
    RATE_LIMITED = "rate_limited", Message("Too many requests")
    SERVER_ERROR = "server_error", Message("The server made a mistake")
    UNAVAILABLE = "unavailable", Message("Not available now")
