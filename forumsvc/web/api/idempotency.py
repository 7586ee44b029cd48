"""`Idempotency-Key`: a creation that a client retries is executed once
(draft-ietf-httpapi-idempotency-key-header-07).
"""

import re
from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256
from typing import Any

import orjson
from pyramid.response import Response

from ...errors import Invalid
from ...services import idempotency
from ...services.idempotency import ClientKey, StoredResponse
from .request import ForumRequest

# The draft's structured string, in quotes (RFC 9651 §3.3.3), or without them, as most clients do.
_KEY = re.compile(r'[!#-~](?:[ -~]{0,253}[!-~])?|"((?:[ !#-\[\]-~]|\\["\\]){1,255})"')


def read_key(header: str) -> str:
    """Return the key in a header. Raises Invalid."""
    match = _KEY.fullmatch(header)
    if match is None:
        raise Invalid(
            "Idempotency-Key", "must be of 1 to 255 printable ASCII characters, in quotes or not"
        )
    return header if match[1] is None else re.sub(r"\\(.)", r"\1", match[1])


def replayed_deriver(view: Any, info: Any) -> Any:
    """Replay a stored response before any work is done and without a lock."""

    def find_response(
        request: ForumRequest, key: ClientKey, ttl: timedelta
    ) -> StoredResponse | None:
        return idempotency.find(
            request.read_connection, key, _request_digest(request), request.now, ttl
        )

    return _with_key(view, info, find_response, lambda request, key, response: None)


def idempotent_deriver(view: Any, info: Any) -> Any:
    """Call a view with `idempotent=True` once for each key, and store its response."""

    def find_response(
        request: ForumRequest, key: ClientKey, ttl: timedelta
    ) -> StoredResponse | None:
        return idempotency.claim(request.db, key, _request_digest(request), request.now, ttl)

    def store(request: ForumRequest, key: ClientKey, response: Response) -> None:
        location, etag = map(response.headers.get, ("Location", "ETag"))
        stored = StoredResponse(response.status_int, location, etag, response.body.decode())
        idempotency.store_response(request.db, key, stored)

    return _with_key(view, info, find_response, store)


def _with_key(
    view: Any,
    info: Any,
    find_response: Callable[[ForumRequest, ClientKey, timedelta], StoredResponse | None],
    store: Callable[[ForumRequest, ClientKey, Response], None],
) -> Any:
    """Return a view that is called only if no response is stored for the key."""
    if not info.options.get("idempotent"):
        return view
    ttl = timedelta(seconds=info.registry.forum_settings["idempotency.ttl_seconds"])

    def called_once(context: Any, request: ForumRequest) -> Any:
        header = request.environ.get("HTTP_IDEMPOTENCY_KEY")
        if header is None:
            return view(context, request)
        key = ClientKey(request.actor_id, read_key(header))
        stored = find_response(request, key, ttl)
        if stored is not None:
            return _replay(stored)
        response = view(context, request)
        store(request, key, response)
        return response

    return called_once


replayed_deriver.options = ("idempotent",)  # type: ignore[attr-defined]  # Pyramid's protocol
idempotent_deriver.options = ("idempotent",)  # type: ignore[attr-defined]  # Pyramid's protocol


def _request_digest(request: ForumRequest) -> str:
    sent = [request.method, request.path_info, request.validated]
    return sha256(orjson.dumps(sent, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _replay(stored: StoredResponse) -> Response:
    response = Response(status=stored.status, content_type="application/json")
    response.body = stored.body.encode()
    for name, value in (("Location", stored.location), ("ETag", stored.etag)):
        if value is not None:
            response.headers[name] = value
    response.headers["Idempotency-Replayed"] = "true"
    return response
