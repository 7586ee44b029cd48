"""/robots.txt (RFC 9309): what crawlers need not read, and where the sitemap is."""

from pyramid.response import Response

from ...permissions import Common
from ...web.api.request import ForumRequest
from ..files import file_response
from ..page import page
from ..page_context import PageContext, public_page
from ..paths import absolute_url

_DISALLOWED = (
    "/api/",
    "/oauth/",
    "/search",
    "/login",
    "/signup",
    "/password/",
    "/topics/new",
    "/topics/*/replies",
    "/topics/*/likes",
    "/replies/*/likes",
)


@page("robots", "/robots.txt", public_page, Common.VIEW)
def show_robots(context: PageContext, request: ForumRequest) -> Response:
    sitemap = absolute_url(request, request.route_path("sitemap"))
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in _DISALLOWED)]
    text = "\n".join([*lines, "", f"Sitemap: {sitemap}", ""])
    return file_response(text.encode(), "text/plain")
