"""From what went wrong to the answer: the only maker of `{"error": …}`."""

import logging
from typing import Any

import orjson
from pyramid.config import Configurator
from pyramid.httpexceptions import HTTPException, HTTPForbidden, HTTPNotFound
from pyramid.response import Response
from pyramid_retry import mark_error_retryable
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from .. import errors
from ..db.failures import is_outdated_session, sqlstate
from ..db.lock_waits import CONTENDED
from ..passwords import PasswordsBusy
from ..security.policy import MissingScope
from ..web.api.request import ForumRequest
from ..web.pipeline.request_id import ENVIRON_KEY, will_be_retried

log = logging.getLogger(__name__)

_CHALLENGE = "Bearer"
_STATUS: dict[type[errors.ForumError], int] = {
    errors.Malformed: 400,
    errors.Invalid: 400,
    errors.Conflict: 400,
    errors.Unauthenticated: 401,
    errors.BadToken: 401,
    errors.Forbidden: 403,
    errors.NotFound: 404,
    errors.PreconditionFailed: 412,
    errors.TooLarge: 413,
    errors.IdempotencyKeyReused: 422,
    errors.RateLimited: 429,
    errors.Unavailable: 503,
}


def error_response(
    request: ForumRequest, status: int, message: str, headers: dict[str, str] | None = None
) -> Response:
    """Return the answer to a request that failed."""
    response = Response(status=status, content_type="application/json")
    response.body = failure_body(request.registry, status, message)
    response.headers.update({"Cache-Control": "no-store", **(headers or {})})
    return response


def failure_body(registry: Any, status: int, message: str) -> bytes:
    """Return the JSON of a failure."""
    return orjson.dumps(registry.envelope.error(status, message))


def forum_error(error: errors.ForumError, request: ForumRequest) -> Response:
    """Answer what the forum itself refused."""
    status = next(_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS)
    return error_response(request, status, str(error), _headers(error))


def _headers(error: errors.ForumError) -> dict[str, str]:
    match error:
        case errors.Unauthenticated():
            return {"WWW-Authenticate": _CHALLENGE}
        case errors.BadToken():
            return {"WWW-Authenticate": f'{_CHALLENGE} error="invalid_token"'}
        case errors.InsufficientScope(scope=scope):
            return {"WWW-Authenticate": f'{_CHALLENGE} error="insufficient_scope", scope="{scope}"'}
        case errors.RateLimited(retry_after=seconds):
            return {"Retry-After": str(seconds)}
        case errors.Unavailable():
            return {"Retry-After": "10"}
    return {}


def forbidden(error: HTTPForbidden, request: ForumRequest) -> Response:
    """Answer what the policy refused: 401 to nobody, 403 to somebody."""
    return forum_error(_denial(error, request), request)


def _denial(error: HTTPForbidden, request: ForumRequest) -> errors.ForumError:
    if request.caller is None:
        return errors.Unauthenticated("This needs an access token.")
    if isinstance(error.result, MissingScope):
        return errors.InsufficientScope(error.result.scope)
    if request.caller.user_id is None:
        return errors.Forbidden("This access token belongs to no user.")
    refused = error.result
    reason = refused.context.denial_reason(refused.permission) if refused is not None else None
    return errors.Forbidden(reason or "You may not do this.")


def not_found(error: HTTPNotFound, request: ForumRequest) -> Response:
    """Answer a path that is not there, or not with this method."""
    route = request.matched_route
    methods = None
    if route is not None:
        name = getattr(request, "view_name", "")
        methods = request.registry.methods.of(route.name, request.context, name)
    if methods is None or (request.method in methods and request.method != "OPTIONS"):
        return error_response(request, 404, "There is nothing here.")
    allow = {"Allow": ", ".join(methods)}
    if request.method == "OPTIONS":
        return Response(status=204, headerlist=[*allow.items()])
    return error_response(request, 405, f"{request.method} is not among {allow['Allow']}.", allow)


def http_error(error: HTTPException, request: ForumRequest) -> Response:
    """Answer what Pyramid or WebOb refused by itself."""
    return error_response(request, error.status_int, f"{error.title}.")


def database_error(error: Exception, request: ForumRequest) -> Response:
    """Answer that the database is away, and let a request that changed nothing be tried again."""
    lost = isinstance(error, DBAPIError) and error.connection_invalidated
    is_known = isinstance(error, OperationalError | PoolTimeout | errors.IncompatibleDatabase)
    if not (lost or is_known or is_outdated_session(error)):
        return unexpected(error, request)
    # A commit that was cut may have happened: only what was not yet committed is tried again.
    is_uncommitted = request.is_write or request.method in ("GET", "HEAD")
    # Many who write to one topic at once take their turns within a few short waits.
    is_contended = CONTENDED in getattr(error, "__notes__", ())
    if _undone(error, lost) or (lost and is_uncommitted) or is_contended:
        mark_error_retryable(error)
    reason = errors.single_line_message(error)
    if will_be_retried(request, error):
        log.info("request %s is tried again: %s", _request_id(request), reason)
    else:
        log.error("request %s failed, for the database did: %s", _request_id(request), reason)
    return error_response(
        request, 503, "The database is not available; try again soon.", {"Retry-After": "1"}
    )


def _undone(error: Exception, lost: bool) -> bool:
    """Tell whether PostgreSQL undid the transaction and may take it when it is tried again.

    It did so for another transaction's sake (a deadlock, say), or for a session that is outdated
    and has been dropped.
    """
    return sqlstate(error).startswith("40") or (lost and is_outdated_session(error))


def passwords_busy(error: PasswordsBusy, request: ForumRequest) -> Response:
    """Answer that no more passwords are checked at this moment."""
    return error_response(request, 503, str(error), {"Retry-After": "1"})


def unexpected(error: Exception, request: ForumRequest) -> Response:
    """Answer a mistake of ours: nothing of it to the client, all of it to the log."""
    log.error("request %s failed", _request_id(request), exc_info=error)
    return error_response(request, 500, "The server made a mistake; it has been written down.")


def _request_id(request: ForumRequest) -> str:
    return str(request.environ.get(ENVIRON_KEY, "-"))


def includeme(config: Configurator) -> None:
    """Register the error views."""
    views: list[tuple[Any, type[Exception]]] = [
        (forum_error, errors.ForumError),
        (forbidden, HTTPForbidden),
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
