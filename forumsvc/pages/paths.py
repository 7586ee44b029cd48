"""Redirects to pages of this site, never to another one."""

import re
from typing import Any
from urllib.parse import urlencode

from pyramid.httpexceptions import HTTPSeeOther

from ..queries import replies
from ..services.accounts.login_names import PAGE_NAMES
from ..web.api.request import ForumRequest
from .post_html import page_of_floor

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


def user_path(request: ForumRequest, login: str) -> str:
    """Return the path of a user's page: `/LOGIN`, unless another page has it."""
    parent = "/users" if login.lower() in PAGE_NAMES else ""
    return f"{request.script_name}{parent}/{login}"


def topic_path(request: ForumRequest, topic_id: int) -> str:
    """Return the path of a topic's page; `route_path` takes ten times as long."""
    return f"{request.script_name}/topics/{topic_id}"


def post_path(request: ForumRequest, topic_id: int | None, reply_id: int | None) -> str:
    """Return the path that leads to a reply, or to a topic where there is none, or neither: ""."""
    if reply_id is not None:
        return request.route_path("reply", reply_id=reply_id)
    return "" if topic_id is None else topic_path(request, topic_id)


def floor_path(request: ForumRequest, topic_id: int, floor: int) -> str:
    """Return the path of the page of a topic that has the reply with this number."""
    page = page_of_floor(floor)
    return with_query(topic_path(request, topic_id), page=str(page) if page > 1 else None)


def reply_path(request: ForumRequest, reply_id: int) -> str:
    """Return the address of a reply in its topic, also of a deleted one."""
    place = replies.place_of(request.db, reply_id)
    return f"{floor_path(request, place.topic_id, place.floor)}#reply-{reply_id}"


def node_path(request: ForumRequest, node_id: int) -> str:
    """Return the path of a node's page."""
    return f"{request.script_name}/topics/node{node_id}"


def feed_path(request: ForumRequest, node_id: int | None) -> str:
    """Return the path of the Atom feed of a node, or of all topics."""
    parent = "topics" if node_id is None else f"nodes/{node_id}"
    return f"{request.script_name}/{parent}/feed.xml"


def absolute_url(request: ForumRequest, path: str) -> str:
    """Return the URL of a page of this site by its path, which begins with the script name."""
    return f"{request.base_url}{path.removeprefix(request.script_name)}"


class SeeOther(HTTPSeeOther):
    """A 303, which the browser follows with GET (RFC 9700 §4.12)."""

    def _abs_headerlist(self, environ: Any) -> list[tuple[str, str]]:
        # WebOb would put the Host header before a path, which RFC 9110 §10.2.2 does not ask for.
        headers: list[tuple[str, str]] = super()._abs_headerlist(environ)
        path = safe_redirect_path(self.location)
        if path is None:
            return headers
        return [(name, path if name == "Location" else value) for name, value in headers]


def see_other(location: str) -> SeeOther:
    """Return a redirect to a path of this site, or to the address of an application."""
    return SeeOther(location=location)


def redirect_to_page(request: ForumRequest, route: str, **values: str | None) -> HTTPSeeOther:
    """Return a redirect to a page of this site, with these query parameters."""
    return see_other(with_query(request.route_path(route), **values))


def path_to_go_on(request: ForumRequest) -> str | None:
    """Return the path in the parameter `next`, where somebody goes on after the login."""
    return safe_redirect_path(request.parameters.get("next"))


def next_of_form(request: ForumRequest) -> str | None:
    """Return the path in `next` for a form that leads there.

    From an authorization request the way may lead on to an application, with an error.
    """
    path = path_to_go_on(request)
    if path is not None and path.startswith(request.route_path("oauth_authorize")):
        request.page_context.let_forms_leave()
    return path


def redirect_to_next(request: ForumRequest) -> HTTPSeeOther:
    """Return a redirect to the path in `next`, or to the first page."""
    home = "home" if request.settings["pages.forum"] else "applications"
    return see_other(path_to_go_on(request) or request.route_path(home))
