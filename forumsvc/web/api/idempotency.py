"""`Idempotency-Key`: a creation that a client sends again, not knowing what became of it, is done
once (draft-ietf-httpapi-idempotency-key-header-07).
"""

import re
from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256
from typing import Any

import orjson
from pyramid.config import Configurator
from pyramid.response import Response

from ...errors import Invalid
from ...services import idempotency
from ...services.idempotency import ClientKey, StoredResponse
from .request import ForumRequest

# The draft's structured string, in quotes (RFC 9651 §3.3.3), or what most clients send: as it is.
_KEY = re.compile(r'[!#-~](?:[ -~]{0,253}[!-~])?|"((?:[ !#-\[\]-~]|\\["\\]){1,255})"')


def read_key(header: str) -> str:
    """Return the key that a header holds. Raises Invalid."""
    match = _KEY.fullmatch(header)
    if match is None:
        raise Invalid(
            "Idempotency-Key", "must be of 1 to 255 printable ASCII characters, in quotes or not"
        )
    return header if match[1] is None else re.sub(r"\\(.)", r"\1", match[1])


def replayed_deriver(view: Any, info: Any) -> Any:
    """Answer again what is answered already, before any work is done for it and without a lock."""

    def known(request: ForumRequest, key: ClientKey, ttl: timedelta) -> StoredResponse | None:
        return idempotency.find(
            request.read_connection, key, _request_digest(request), request.now, ttl
        )

    return _with_key(view, info, known, lambda request, key, response: None)


def idempotent_deriver(view: Any, info: Any) -> Any:
    """Let a view with `idempotent=True` be called once for a key; who may not is refused before."""

    def known(request: ForumRequest, key: ClientKey, ttl: timedelta) -> StoredResponse | None:
        return idempotency.claim(request.db, key, _request_digest(request), request.now, ttl)

    def keep(request: ForumRequest, key: ClientKey, response: Response) -> None:
        location, body = response.headers.get("Location"), response.body.decode()
        idempotency.store_response(
            request.db, key, StoredResponse(response.status_int, location, body)
        )

    return _with_key(view, info, known, keep)


def _with_key(
    view: Any,
    info: Any,
    known: Callable[[ForumRequest, ClientKey, timedelta], StoredResponse | None],
    keep: Callable[[ForumRequest, ClientKey, Response], None],
) -> Any:
    """Return a view that a request with a key comes to only where no answer of that is known."""
    if not info.options.get("idempotent"):
        return view
    ttl = timedelta(seconds=info.registry.forum_settings["idempotency.ttl_seconds"])

    def called_once(context: Any, request: ForumRequest) -> Any:
        header = request.environ.get("HTTP_IDEMPOTENCY_KEY")
        if header is None:
            return view(context, request)
        key = ClientKey(request.actor_id, read_key(header))
        answer = known(request, key, ttl)
        if answer is not None:
            return _replay(answer)
        response = view(context, request)
        keep(request, key, response)
        return response

    return called_once


replayed_deriver.options = ("idempotent",)  # type: ignore[attr-defined]  # Pyramid's protocol
idempotent_deriver.options = ("idempotent",)  # type: ignore[attr-defined]  # Pyramid's protocol


def _request_digest(request: ForumRequest) -> str:
    sent = [request.method, request.path_info, request.validated]
    return sha256(orjson.dumps(sent, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _replay(answer: StoredResponse) -> Response:
    response = Response(status=answer.status, content_type="application/json")
    response.body = answer.body.encode()
    if answer.location is not None:
        response.headers["Location"] = answer.location
    response.headers["Idempotency-Replayed"] = "true"
    return response


def includeme(config: Configurator) -> None:
    """Register the derivers: one behind the parameters', the other where locks are taken."""
    config.add_view_deriver(replayed_deriver, name="replayed", under="schema")
    config.add_view_deriver(idempotent_deriver, name="idempotent", under="prework")
