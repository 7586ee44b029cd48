"""Errors as `application/problem+json` (RFC 9457), for clients that name it in `Accept`."""

from collections.abc import Callable

import orjson
from pyramid.response import Response
from webob.acceptparse import create_accept_header

from ...text.error_codes import ErrorCode
from ...text.languages import LANGUAGES, catalogue
from ...text.messages import Message
from ..api.request import ForumRequest

MEDIA_TYPE = "application/problem+json"
_OAUTH = "/oauth/"
"""Errors there are as RFC 6749 says."""


def is_wanted(request: ForumRequest) -> bool:
    """Return whether a request's `Accept` names the media type of problems, with a q above 0."""
    if request.environ["PATH_INFO"].startswith(_OAUTH):
        return False
    ranges = create_accept_header(request.environ.get("HTTP_ACCEPT")).parsed or ()
    return any(
        named.partition(";")[0].strip().lower() == MEDIA_TYPE and quality > 0
        for named, quality, *_ in ranges
    )


def set_problem(
    response: Response,
    request: ForumRequest,
    code: ErrorCode,
    message: str,
    parameter: str | None,
) -> None:
    """Make a problem of the response to a failed request, in a language of `Accept-Language`.

    message: for its `detail`; parameter: the name of the one that is wrong, if one is.
    """
    language: str = request.accept_language.lookup([*LANGUAGES], default=LANGUAGES[0])
    look_up = catalogue(language).gettext
    has_guide = request.settings["docs.enabled"]
    problem = {
        "type": f"{request.base_url}/docs/guide/errors#{code}" if has_guide else "about:blank",
        "title": _translated(code.summary, look_up),
        "status": response.status_int,
        "detail": _translated(message, look_up),
        "code": code,
    }
    if parameter is not None:
        problem["parameter"] = parameter
    response.content_type = MEDIA_TYPE
    response.body = orjson.dumps(problem)
    response.headers.update({"Content-Language": language, "Vary": "Accept, Accept-Language"})


def _translated(text: str, look_up: Callable[[str], str]) -> str:
    """Return a text of the code in the language of a catalogue, or as it is without an entry."""
    if not isinstance(text, Message):
        return look_up(text) if text else text
    entry = look_up(text.msgid)
    values = {
        name: _translated(value, look_up) if isinstance(value, Message) else value
        for name, value in text.values.items()
    }
    return entry % values if values else entry
