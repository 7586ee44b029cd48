"""Addresses of our own: where a visitor may be sent on to, and never anywhere else."""

import re
from urllib.parse import urlencode

from pyramid.httpexceptions import HTTPSeeOther

from ..web.api.request import ForumRequest

_LOCAL_PATH = re.compile(r"/(?!/)[!-\[\]-~]*", re.ASCII)
_MAX_LENGTH = 16_000
"""Characters: an authorization request may be long."""


def safe_redirect_path(text: object) -> str | None:
    """Return `text` where it is a path on this site, else None.

    Browsers take `//host` and `/\\host` for another site, and drop tabs and line breaks.
    """
    if not isinstance(text, str) or len(text) > _MAX_LENGTH or not _LOCAL_PATH.fullmatch(text):
        return None
    return text


def with_query(path: str, **values: str | None) -> str:
    """Return a path with these parameters, those left out that are None."""
    given = {name: value for name, value in values.items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


def see_other(location: str) -> HTTPSeeOther:
    """Return the answer that sends the browser on, by GET (RFC 9700 §4.12)."""
    return HTTPSeeOther(location=location)


def redirect_to_page(request: ForumRequest, route: str, **values: str | None) -> HTTPSeeOther:
    """Return the answer that sends the browser to a page of ours."""
    return see_other(with_query(request.route_path(route), **values))
