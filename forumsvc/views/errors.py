"""The error views: the only place that makes `{"error": …}` and problems (RFC 9457)."""

import logging
from collections.abc import Mapping
from time import monotonic
from typing import Any

import orjson
from pyramid.config import Configurator
from pyramid.exceptions import BadCSRFToken
from pyramid.httpexceptions import HTTPException, HTTPForbidden, HTTPNotFound
from pyramid.response import Response
from pyramid_retry import mark_error_retryable
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from .. import errors
from ..db.failures import is_away, is_forbidden, is_outdated_session, sqlstate
from ..process.passwords import PasswordsBusy
from ..security.denial import NO_USER, denial_message
from ..security.policy import MissingScope
from ..text.error_codes import ErrorCode
from ..text.messages import Message
from ..web.api.request import ForumRequest
from ..web.pipeline.guard import check_body
from ..web.pipeline.request_id import ENVIRON_KEY, will_be_retried
from ..web.registry import ForumRegistry
from ..web.responses import problems

log = logging.getLogger(__name__)

_CHALLENGE = "Bearer"
_OUTAGE_LINE_EVERY_SECONDS = 5.0
_STATUS: dict[type[errors.ForumError], int] = {
    errors.Malformed: 400,
    errors.Invalid: 400,
    errors.Conflict: 400,  # The contract lists the statuses that clients know, without 409.
    errors.Unauthenticated: 401,
    errors.BadToken: 401,
    errors.Forbidden: 403,
    errors.NotFound: 404,
    errors.Gone: 410,
    errors.PreconditionFailed: 412,
    errors.TooLarge: 413,
    errors.UnsupportedBody: 415,
    errors.IdempotencyKeyReused: 422,
    errors.RateLimited: 429,
    errors.Unavailable: 503,
}


def error_response(
    request: ForumRequest,
    status: int,
    message: str,
    headers: dict[str, str] | None = None,
    *,
    code: ErrorCode | None = None,
    parameter: str | None = None,
) -> Response:
    """Return the response to a failed request.

    code: None for the one that errors with this status have; parameter: as of `ForumError`.
    """
    request.error = message
    response = Response(status=status, content_type="application/json")
    if problems.is_wanted(request):
        problems.set_problem(response, request, code or _code_of(status), message, parameter)
    else:
        response.body = error_body(request.registry, status, message)
    response.headers.update({"Cache-Control": "no-store", **(headers or {})})
    return response


def _code_of(status: int) -> ErrorCode:
    known = (kind.code for kind, of_kind in _STATUS.items() if of_kind == status)
    return next(known, ErrorCode.SERVER_ERROR if status >= 500 else ErrorCode.MALFORMED)


def error_body(registry: ForumRegistry, status: int, message: str) -> bytes:
    """Return the JSON document of an error."""
    return orjson.dumps(registry.envelope.error(status, message))


def body_error(registry: ForumRegistry, headers: Mapping[str, str]) -> tuple[int, str] | None:
    """Return status and message of the error by which a body will be refused, or None.

    headers: by their names in capitals, with `_` for `-`.
    """
    length, kind = headers.get("CONTENT_LENGTH", "0"), headers.get("CONTENT_TYPE", "")
    coding = headers.get("CONTENT_ENCODING", "")
    try:
        check_body(registry.forum_settings, int(length), kind, coding)
    except errors.ForumError as error:
        return _status(error), str(error)
    return None


def _status(error: errors.ForumError) -> int:
    return next(_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS)


def forum_error(error: errors.ForumError, request: ForumRequest) -> Response:
    """Respond to an error of the forum's domain."""
    message = error.args[0] if error.args else ""
    return error_response(
        *(request, _status(error), message, _headers(error)),
        code=error.code,
        parameter=error.parameter,
    )


def _headers(error: errors.ForumError) -> dict[str, str]:
    match error:
        case errors.Unauthenticated():
            return {"WWW-Authenticate": _CHALLENGE}
        case errors.BadToken():
            return {"WWW-Authenticate": f'{_CHALLENGE} error="invalid_token"'}
        case errors.InsufficientScope(scope=scope):
            return {"WWW-Authenticate": f'{_CHALLENGE} error="insufficient_scope", scope="{scope}"'}
        case errors.RateLimited(retry_after=seconds) | errors.Unavailable(retry_after=seconds):
            return {"Retry-After": str(seconds)}
    return {}


def forbidden(error: HTTPForbidden, request: ForumRequest) -> Response:
    """Respond to a denial of the policy: 401 without a caller, 403 with one."""
    return forum_error(_denial(error, request), request)


def _denial(error: HTTPForbidden, request: ForumRequest) -> errors.ForumError:
    if request.caller is None:
        return errors.Unauthenticated(Message("This needs an access token."))
    if isinstance(error.result, MissingScope):
        return errors.InsufficientScope(error.result.scope)
    if request.caller.user_id is None:
        return errors.Forbidden(NO_USER)
    refused = error.result
    if refused is None:
        return errors.Forbidden("You may not do this.")
    return errors.Forbidden(denial_message(request.caller, refused.context, refused.permission))


def bad_csrf_token(error: BadCSRFToken, request: ForumRequest) -> Response:
    """Respond to a form that another page or browser sent, or that is from before the login."""
    message = Message("This form is out of date or invalid. Reload the page and try again.")
    return error_response(request, 403, message)


def not_found(error: HTTPNotFound, request: ForumRequest) -> Response:
    """Respond to an unknown path (404) or a method that the path does not allow (405)."""
    route = request.matched_route
    methods = None
    if route is not None:
        name = getattr(request, "view_name", "")
        methods = request.registry.methods.of(route.name, request.context, name)
    if methods is None or (request.method in methods and request.method != "OPTIONS"):
        return error_response(request, 404, Message("There is nothing here."))
    allow = {"Allow": ", ".join(methods)}
    if request.method == "OPTIONS":
        return Response(status=204, headerlist=[*allow.items()])
    message = f"{request.method} is not among {allow['Allow']}."
    return error_response(request, 405, message, allow, code=ErrorCode.METHOD_NOT_ALLOWED)


def http_error(error: HTTPException, request: ForumRequest) -> Response:
    """Respond to an error that Pyramid or WebOb raised; a redirect is a response itself."""
    if error.status_int < 400:
        return error
    return error_response(request, error.status_int, f"{error.title}.")


def database_error(error: Exception, request: ForumRequest) -> Response:
    """Respond 503 when the database fails; retry a request that committed nothing."""
    lost = isinstance(error, DBAPIError) and error.connection_invalidated
    is_known = isinstance(error, OperationalError | PoolTimeout | errors.IncompatibleDatabase)
    # Rights that the administrator has not granted are no mistake of the code.
    is_known = is_known or is_away(error) or is_forbidden(error)
    if not (lost or is_known or is_outdated_session(error)):
        return unexpected(error, request)
    request.registry.availability.note_failure(error)
    # An interrupted commit may have succeeded: retry only what was not committed yet.
    is_uncommitted = request.is_write or request.method in ("GET", "HEAD")
    if _is_rolled_back(error, lost) or (lost and is_uncommitted):
        mark_error_retryable(error)
    reason = errors.single_line_message(error)
    if will_be_retried(request, error):
        log.info("request %s is tried again: %s", _request_id(request), reason)
    elif is_away(error):
        _outage_log.add(request, error)
    else:
        log.error("request %s failed, for the database did: %s", _request_id(request), reason)
    message = Message("The database is not available; try again soon.")
    return error_response(request, 503, message, {"Retry-After": "1"})


class OutageLog:
    """Logs one of the requests that an outage of the database fails, and counts the others.

    An outage must not fill the disk with a line for each request.
    """

    def __init__(self) -> None:
        self._next_at = 0.0
        self._left_out = 0

    def add(self, request: ForumRequest, error: Exception) -> None:
        """Log a request that failed, without its statement, or count it."""
        now = monotonic()
        if now < self._next_at:
            self._left_out += 1
            return
        self._next_at = now + _OUTAGE_LINE_EVERY_SECONDS
        left_out, self._left_out = self._left_out, 0
        cause = getattr(error, "orig", None) or error
        log.error(
            "request %s failed, for the database is away (as %d others before): %s",
            _request_id(request),
            left_out,
            errors.single_line_message(cause),
        )


_outage_log = OutageLog()


def _is_rolled_back(error: Exception, lost: bool) -> bool:
    """Return whether PostgreSQL rolled the transaction back and a retry may succeed.

    It does so in favour of another transaction (a deadlock, say), or because of an outdated session
    that has been closed.
    """
    return sqlstate(error).startswith("40") or (lost and is_outdated_session(error))


def passwords_busy(error: PasswordsBusy, request: ForumRequest) -> Response:
    """Respond that too many passwords are being checked."""
    return error_response(request, 503, str(error), {"Retry-After": "1"})


def unexpected(error: Exception, request: ForumRequest) -> Response:
    """Respond to an unexpected exception: details go to the log only."""
    log.error("request %s failed", _request_id(request), exc_info=error)
    message = Message("The server made a mistake; it has been written down.")
    return error_response(request, 500, message)


def _request_id(request: ForumRequest) -> str:
    return str(request.environ.get(ENVIRON_KEY, "-"))


def includeme(config: Configurator) -> None:
    views: list[tuple[Any, type[Exception]]] = [
        (forum_error, errors.ForumError),
        (forbidden, HTTPForbidden),
        (bad_csrf_token, BadCSRFToken),
        (not_found, HTTPNotFound),
        (http_error, HTTPException),
        (passwords_busy, PasswordsBusy),
        (database_error, DBAPIError),
        (database_error, PoolTimeout),
        (database_error, errors.IncompatibleDatabase),
        (unexpected, Exception),
    ]
    for view, error in views:
        config.add_exception_view(view, context=error)
