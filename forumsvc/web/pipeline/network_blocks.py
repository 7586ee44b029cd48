"""Refuses requests from blocked networks.

Each process has the blocks in memory and looks at their version: in the SELECT that finds a token,
a session, a topic or the version of lists, and otherwise by a SELECT of its own, before a visitor's
write (but no log-in) and after `moderation.blocks_recheck_seconds`.
"""

from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from ...errors import Forbidden, ForumError
from ...models import AccessBlockSeverity, Role
from ...oauth import tokens
from ...security.credentials import access_token
from ...sessions import browser_sessions
from ...text.error_codes import ErrorCode
from ...text.messages import Message
from ..api.request import ForumRequest, Handler, caller_of
from ..registry import ForumRegistry
from .session_cookie import read_session_cookie
from .transactions import is_unsafe

_FOR_OPERATORS = ("/health/", "/metrics/")
_LOG_IN = ("/login/", "/logout/", "/oauth/")
"""What whoever may only read needs to read as themselves."""


def network_blocks_tween(handler: Handler, registry: ForumRegistry) -> Handler:
    """Refuse what a block of the client's network refuses, but nothing to admins."""

    def guarded(request: ForumRequest) -> Any:
        if _path(request).startswith(_FOR_OPERATORS):
            return handler(request)
        _refresh(request, now=_is_visitors_write(request))
        enforce(request)
        return handler(request)

    return guarded


def enforce_blocks_changed_since(request: ForumRequest, version: int) -> None:
    """Take notice of a version of the blocks that a request has read for itself.

    Raises Forbidden if the request is refused by blocks that are new to this process.
    """
    if request.registry.blocked_networks.notice(request.executor, version):
        enforce(request)


def enforce(request: ForumRequest) -> None:
    """Raise Forbidden if a block of the client's network refuses this request."""
    if not request.registry.blocked_networks or _refusal(request) is None:
        return
    # Another process may have removed the block.
    _refresh(request, now=True)
    message = _refusal(request)
    if message is not None and not _is_admin(request):
        raise Forbidden(message)


def _refresh(request: ForumRequest, *, now: bool) -> None:
    networks = request.registry.blocked_networks
    try:
        networks.refresh(request.executor, now=now)
    except SQLAlchemyError:
        # Whoever needs the database is told that it fails; the blocks stay as they were.
        networks.postpone()


def _refusal(request: ForumRequest) -> Message | None:
    networks = request.registry.blocked_networks
    severity = networks.severity_of(request.remote_addr or "", request.now)
    if severity is AccessBlockSeverity.ALL:
        return Message("Access from your network is blocked.").coded(ErrorCode.NETWORK_BLOCKED)
    is_write = is_unsafe(request) and not _path(request).startswith(_LOG_IN)
    if severity is AccessBlockSeverity.WRITE and is_write:
        return Message("From your network you may only read.").coded(ErrorCode.NETWORK_BLOCKED)
    return None


def _path(request: ForumRequest) -> str:
    return f"{request.environ['PATH_INFO']}/"


def _is_visitors_write(request: ForumRequest) -> bool:
    """Return whether a request may write, is no log-in, and brings nothing that is looked up.

    A log-in that is refused because too many are being checked must cost the database nothing.
    """
    return (
        is_unsafe(request)
        and not _path(request).startswith(_LOG_IN)
        and "HTTP_AUTHORIZATION" not in request.environ
        and "access_token=" not in request.environ.get("QUERY_STRING", "")
        and read_session_cookie(request) is None
    )


def _is_admin(request: ForumRequest) -> bool:
    """Return whether a request has an admin's session, or access token in its header.

    Only requests from blocked networks are asked.
    """
    row: Any = None
    try:
        token = access_token((), request.headers.get("Authorization"))
    except ForumError:
        return False
    if token is not None:
        row = tokens.find_by_access_token(request.executor, token, request.now)
    elif (cookie := read_session_cookie(request)) is not None:
        row = browser_sessions.find(request.executor, cookie, request.now)
    if row is None:
        return False
    return caller_of(row, request).level == Role.ADMIN
