"""A name for every request, in the answer and in the log, and the time that it took."""

import logging
import re
import secrets
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .request import ForumRequest

if TYPE_CHECKING:
    from .metrics import Metrics

log = logging.getLogger("forumsvc.access")

_SANE = re.compile(r"[A-Za-z0-9._-]{8,64}")

Handler = Callable[[ForumRequest], Any]


def request_id_tween(handler: Handler, registry: Any) -> Handler:
    """Name the request as the proxy did, or anew; log it without its query, and count it."""
    metrics: Metrics | None = registry.metrics

    def named(request: ForumRequest) -> Any:
        environ = request.environ
        given = environ.get("HTTP_X_REQUEST_ID", "")
        request_id = given if _SANE.fullmatch(given) else secrets.token_hex(16)
        environ["forumsvc.request_id"] = request_id
        began = time.perf_counter()
        response = handler(request)
        # pyramid_tm has read its orders (X-Tm) by now; they are none of the client's business.
        headers = [each for each in response.headerlist if each[0] != "X-Tm"]
        response.headerlist = [*headers, ("X-Request-Id", request_id)]
        took = time.perf_counter() - began
        if metrics is not None:
            metrics.count(request, response.status_int, took)
        if log.isEnabledFor(logging.INFO):
            log.info(
                "%s %s %d %.1f ms %s",
                request.method,
                ascii(environ["PATH_INFO"])[1:-1],
                response.status_int,
                took * 1000,
                request_id,
            )
        return response

    return named
