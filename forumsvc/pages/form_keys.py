"""Keys of forms: a form that is sent twice, by a double click or by Back, creates one thing."""

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import wraps
from typing import Any

from pyramid.response import Response

from ..services import idempotency
from ..services.idempotency import ClientKey, StoredResponse
from ..sessions.token_hash import new_secret
from ..web.api.request import ForumRequest
from ..web.pipeline.session_cookie import cookie_name, cookie_of, set_cookie
from .kept_text import digest_of

FIELD = "form_key"
_DIGEST = "page"
_KEY = re.compile(r"[A-Za-z0-9_-]{20,80}", re.ASCII)
_SAVED = "saved"
_SAVED_SECONDS = 3600
"""For how long somebody may go back to a form whose text is saved."""


def form_key(request: ForumRequest) -> str:
    """Return the key of a form: the one that was sent, or a new one."""
    value = request.parameters.get(FIELD)
    return value if isinstance(value, str) and value else new_secret()


def is_form_key(value: object) -> bool:
    """Return whether a form that the forum showed may have had this key."""
    return isinstance(value, str) and _KEY.fullmatch(value) is not None


def mark_saved(request: ForumRequest, response: Response) -> Response:
    """Remember in this browser that the form of a request was saved; return the response."""
    value = request.parameters.get(FIELD)
    if is_form_key(value):
        set_cookie(request, response, _SAVED, value, _SAVED_SECONDS)
    return response


def saved_key(request: ForumRequest) -> str:
    """Return the key of the form that this browser saved last, or ""."""
    value = cookie_of(request, cookie_name(request, _SAVED))
    return value if _KEY.fullmatch(value) else ""


def once(
    save: Callable[[ForumRequest, Mapping[str, Any], Any], str],
) -> Callable[[ForumRequest, Mapping[str, Any], Any], str]:
    """Save what a form has once; the same form with the same values leads to the same page.

    save: takes the request, the values and the rendered text, and returns the path to go to.
    """

    @wraps(save)
    def save_once(request: ForumRequest, values: Mapping[str, Any], body: Any) -> str:
        sent_key = request.parameters.get(FIELD)
        if not isinstance(sent_key, str) or not sent_key:
            return save(request, values, body)
        # Other values are another post: somebody went back and wrote a second one.
        form_key = f"form {digest_of(request.path_info, sent_key, *values.values())}"
        key = ClientKey(request.actor_id, form_key)
        ttl = timedelta(seconds=request.settings["idempotency.ttl_seconds"])
        stored = idempotency.claim(request.db, key, _DIGEST, request.now, ttl)
        if stored is not None and stored.location:
            return stored.location
        location = save(request, values, body)
        idempotency.store_response(request.db, key, StoredResponse(303, location, None, ""))
        return location

    return save_once
