"""What can be wrong, in the forum's own terms: HTTP is not known here."""


class ForumError(Exception):
    """Base of every error that a request may end in; `str(error)` is shown to the client."""


class Malformed(ForumError):
    """The request could not be read at all: undecodable bytes, broken JSON or form."""


class TooLarge(ForumError):
    """The request is larger than `http.max_body`."""


class Unauthenticated(ForumError):
    """Nobody is logged in, and somebody must be."""


class BadToken(ForumError):
    """An access token was sent and is wrong, expired or revoked (RFC 6750 `invalid_token`)."""


class NotFound(ForumError):
    """There is no such thing, or not for this caller."""


class Forbidden(ForumError):
    """The caller is known and may not do this."""


class InsufficientScope(Forbidden):
    """The caller might, but not with this token (RFC 6750 `insufficient_scope`).

    scope: the scope that is missing.
    """

    def __init__(self, scope: str) -> None:
        super().__init__(f"The access token lacks the scope '{scope}'.")
        self.scope = scope


class Invalid(ForumError):
    """A parameter does not meet the requirements.

    field: the parameter's name; reason: what is wrong with it, in words.
    """

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class PreconditionFailed(ForumError):
    """What the client wants to change is not any more what it has read."""


class Conflict(ForumError):
    """The request is refused because of what is there already (a login that is taken, say)."""


class AlreadyTaken(Conflict):
    """What must be unique is somebody else's already. field: the parameter's name."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class IdempotencyKeyReused(ForumError):
    """The key of a request is that of another request."""


class Unavailable(ForumError):
    """Something that the forum needs is away (the photo storage, say); later it may be back."""


class RateLimited(ForumError):
    """Too often in too short a time.

    retry_after: seconds until another attempt is worth making.
    """

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


def single_line_message(error: Exception) -> str:
    """Return the message of an error without line breaks: a log line is one record.

    SQLAlchemy's messages have several lines, with the statement and an address of its documents.
    """
    return " ".join(str(error).split())


class IncompatibleDatabase(Exception):
    """The database, or a pooler before it, cannot serve this code; one line says why."""
