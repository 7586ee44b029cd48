"""The request id, in the response and the log, and the access log.

A request that is retried (pyramid_retry, after a deadlock, say) stays one request: it keeps its id,
its duration includes all attempts, and only the last attempt is logged and counted.
"""

import logging
import re
import secrets
import time
from typing import TYPE_CHECKING, Any

from pyramid_retry import is_error_retryable

from ...log_lines import REQUEST_ID, SWEEP_PREFIX
from ..api.request import ForumRequest, Handler
from ..registry import ForumRegistry

if TYPE_CHECKING:
    from ..metrics.registry import Metrics

log = logging.getLogger("forumsvc.access")

ENVIRON_KEY = "forumsvc.request_id"
"""The key of the id in a request's environ."""

_STARTED_KEY = "forumsvc.began"
_VALID_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")


def request_id_tween(handler: Handler, registry: ForumRegistry) -> Handler:
    """Set the id of a request, the proxy's or a new one; log and count its response.

    The log has the client's address (behind a trusted proxy the one that it reports; waitress puts
    it into REMOTE_ADDR), the user's id or "-", method, path, status and duration. It has no query,
    which may contain a token. Until the response every record of the thread has the id.
    """
    metrics: Metrics | None = registry.metrics

    def with_id(request: ForumRequest) -> Any:
        environ = request.environ
        if _STARTED_KEY not in environ:
            environ[_STARTED_KEY] = time.perf_counter()
            environ.setdefault(ENVIRON_KEY, _id_of(environ))
        request_id = environ[ENVIRON_KEY]
        REQUEST_ID.set(request_id)
        response = handler(request)
        # pyramid_tm has read X-Tm by now; clients do not get it.
        headers = [header for header in response.headerlist if header[0] != "X-Tm"]
        response.headerlist = [*headers, ("X-Request-Id", request_id)]
        if will_be_retried(request, request.exception):
            return response
        took = time.perf_counter() - environ[_STARTED_KEY]
        if metrics is not None:
            metrics.count(request, response.status_int, took)
        if log.isEnabledFor(logging.INFO):
            log.info(
                "%s %s %s %s %d %.1f ms",
                _escaped(environ.get("REMOTE_ADDR") or "-"),
                _user_id(request),
                _escaped(request.method),
                _escaped(environ["PATH_INFO"]),
                response.status_int,
                took * 1000,
            )
        REQUEST_ID.set("-")
        return response

    return with_id


def _user_id(request: ForumRequest) -> int | str:
    """Return the caller's user id, or "-"."""
    user_id = request.caller.user_id if request.caller is not None else None
    return "-" if user_id is None else user_id


def _escaped(text: str) -> str:
    """Return WSGI's Latin-1 text as ASCII without control characters."""
    return ascii(text)[1:-1]


def _id_of(environ: dict[str, Any]) -> str:
    value = environ.get("HTTP_X_REQUEST_ID", "")
    is_taken = _VALID_ID.fullmatch(value) and not value.lower().startswith(SWEEP_PREFIX)
    return value if is_taken else secrets.token_hex(16)


def will_be_retried(request: ForumRequest, error: BaseException | None) -> bool:
    return error is not None and bool(is_error_retryable(request, error))
