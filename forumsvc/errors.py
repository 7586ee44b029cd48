"""The errors of the forum's domain. They know nothing of HTTP."""

from collections.abc import Mapping

from .text.error_codes import ErrorCode
from .text.messages import Message


class ForumError(Exception):
    """Base of every error that can end a request; `str(error)` is shown to the client.

    code: what went wrong, for programs; parameter: the name of the one that is wrong, if one is.
    """

    code: ErrorCode = ErrorCode.SERVER_ERROR
    parameter: str | None = None

    def __init__(self, message: str = "", parameter: str | None = None) -> None:
        super().__init__(message)
        if isinstance(message, Message) and message.code is not None:
            self.code = message.code
        if parameter is not None:
            self.parameter = parameter


class Malformed(ForumError):
    """The request cannot be parsed: undecodable bytes, malformed JSON or form data."""

    code = ErrorCode.MALFORMED


class TooLarge(ForumError):
    """The request is larger than `http.max_body`."""

    code = ErrorCode.TOO_LARGE


class UnsupportedBody(ForumError):
    """The request has a body in a media type or content coding that is not read."""

    code = ErrorCode.UNSUPPORTED_BODY


class Unauthenticated(ForumError):
    """The request needs an authenticated user and has none."""

    code = ErrorCode.UNAUTHENTICATED


class BadToken(ForumError):
    """An access token was sent and is wrong, expired or revoked (RFC 6750 `invalid_token`)."""

    code = ErrorCode.INVALID_TOKEN


class NotFound(ForumError):
    """The resource does not exist, or the caller may not see it."""

    code = ErrorCode.NOT_FOUND


class Gone(NotFound):
    """The resource was there and is deleted."""

    code = ErrorCode.GONE


class Forbidden(ForumError):
    """The caller is authenticated and may not do this."""

    code = ErrorCode.FORBIDDEN


class InsufficientScope(Forbidden):
    """The caller may do this, but not with this token (RFC 6750 `insufficient_scope`).

    scope: the missing scope.
    """

    code = ErrorCode.SCOPE_MISSING

    def __init__(self, scope: str) -> None:
        super().__init__(Message("The access token lacks the scope '%(scope)s'.", scope=scope))
        self.scope = scope


class Invalid(ForumError):
    """A parameter is not valid. field: its name; reason: what is wrong with it, as text.

    others: the reasons of further wrong parameters by their names, which a form shows, too.
    """

    code = ErrorCode.PARAMETER

    def __init__(self, field: str, reason: str, others: Mapping[str, str] | None = None) -> None:
        text = reason if isinstance(reason, Message) else Message(reason)
        super().__init__(Message("%(field)s: %(reason)s", field=field, reason=text), field)
        self.field = field
        self.reason = reason
        self.others = others or {}


class PreconditionFailed(ForumError):
    """The resource has changed since the client read it.

    It is said by If-Match or by a parameter (`version` of a review), or the client decides what
    somebody else has decided already.
    """

    code = ErrorCode.CHANGED


class Conflict(ForumError):
    """The request conflicts with the present state, for example with an existing login."""

    code = ErrorCode.CONFLICT


class AlreadyTaken(Conflict):
    """A value that must be unique belongs to another user. field: the parameter's name."""

    code = ErrorCode.TAKEN

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message, field)
        self.field = field


class IdempotencyKeyReused(ForumError):
    """An Idempotency-Key was used before, for a different request."""

    code = ErrorCode.KEY_REUSED


class Unavailable(ForumError):
    """A service that the forum needs does not answer (the photo storage, say); a retry may work.

    retry_after: in how many seconds.
    """

    code = ErrorCode.UNAVAILABLE

    def __init__(self, message: str, retry_after: int = 10) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class RateLimited(ForumError):
    """Too many requests or attempts. retry_after: seconds until the next one may succeed."""

    code = ErrorCode.RATE_LIMITED

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


def too_many(msgid: str, seconds: int) -> RateLimited:
    """Return the error of a limit. msgid: a text with `%(seconds)d`, until the next attempt."""
    return RateLimited(Message(msgid, seconds=seconds), seconds)


def single_line_message(error: Exception) -> str:
    """Return the message of an error on one line, for the log.

    SQLAlchemy's messages have several lines: the statement and a link to its documentation.
    """
    return " ".join(str(error).split())


class IncompatibleDatabase(Exception):
    """The database, or a connection pooler before it, does not work with this version."""
