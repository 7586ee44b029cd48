"""Redirects to pages of this site, never to another one."""

import re
from urllib.parse import urlencode

from pyramid.httpexceptions import HTTPSeeOther

from ..web.api.request import ForumRequest

_LOCAL_PATH = re.compile(r"/(?!/)[!-\[\]-~]*", re.ASCII)
_MAX_LENGTH = 16_000
"""Characters. An authorization request may be long."""


def safe_redirect_path(text: object) -> str | None:
    """Return `text` if it is a path on this site, else None.

    Browsers read `//host` and `/\\host` as another site, and ignore tabs and line breaks.
    """
    if not isinstance(text, str) or len(text) > _MAX_LENGTH or not _LOCAL_PATH.fullmatch(text):
        return None
    return text


def with_query(path: str, **values: str | None) -> str:
    """Return a path with these query parameters, without those that are None."""
    query = {name: value for name, value in values.items() if value is not None}
    return f"{path}?{urlencode(query)}" if query else path


def see_other(location: str) -> HTTPSeeOther:
    """Return a 303, which the browser follows with GET (RFC 9700 §4.12)."""
    return HTTPSeeOther(location=location)


def redirect_to_page(request: ForumRequest, route: str, **values: str | None) -> HTTPSeeOther:
    """Return a redirect to a page of this site, with these query parameters."""
    return see_other(with_query(request.route_path(route), **values))
