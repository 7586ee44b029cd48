"""No page has a dead link, with and without a login."""

import re
from collections.abc import Iterator
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from webtest import TestResponse

from tests.functional.forum import Forum

from .visitor import Visitor

HOST = "http://localhost"
ATTRIBUTES = {"a": "href", "link": "href", "script": "src", "img": "src", "form": "action"}
URL_IN_CSS = re.compile(r"""url\(\s*["']?(?!["']?data:)([^"')]+)""")
MORE = ["/favicon.ico", "/robots.txt"]
"""What browsers and crawlers request without a link."""


def links(page: TestResponse) -> Iterator[tuple[str, str]]:
    """Yield the method and the URL of each link and form of a page or style sheet."""
    if page.content_type == "text/css":
        for address in URL_IN_CSS.findall(page.text):
            yield "GET", address
    if page.content_type != "text/html":
        return
    for name, attribute in ATTRIBUTES.items():
        for tag in page.html.find_all(name, {attribute: True}):
            is_form = name == "form"
            yield (tag.get("method", "get").upper() if is_form else "GET"), tag[attribute]


def follow(visitor: Visitor, start: list[str]) -> tuple[dict[str, TestResponse], list[str]]:
    """Load these pages and all that is linked from them on this host.

    Returns the pages by address, and what is wrong, as "page -> link: status".
    """
    pages: dict[str, TestResponse] = {}
    wrong: list[str] = []
    ahead = [("", "GET", address) for address in start]
    while ahead:
        found_on, method, address = ahead.pop()
        parts = urlsplit(urljoin(f"{HOST}{found_on}", address))
        if f"{parts.scheme}://{parts.netloc}" != HOST:
            assert parts.scheme in ("http", "https"), address
            continue
        path = parts._replace(scheme="", netloc="", fragment="").geturl()
        if method == "POST":
            # Without a CSRF token the form is rejected (403); a dead one would be 404 or 405.
            if (status := visitor.app.post(path, status="*").status_int) not in (400, 403):
                wrong.append(f"{found_on} -> POST {path}: {status}")
            continue
        if path not in pages:
            pages[path] = visitor.get(path)
            ahead += [(path, *link) for link in links(pages[path])]
        page = pages[path]
        if page.status_int >= 400:
            wrong.append(f"{found_on} -> {path}: {page.status_int}")
        elif parts.fragment and page.html.find(id=unquote(parts.fragment)) is None:
            wrong.append(f"{found_on} -> {path}: no #{parts.fragment}")
    return pages, wrong


@pytest.mark.parametrize("logged_in", [False, True])
def test_no_page_has_a_dead_link(forum: Forum, visitor: Visitor, ann: int, logged_in: bool) -> None:
    if logged_in:
        visitor.log_in()
    forum.topic(forum.person("bob"), forum.node())
    pages, wrong = follow(visitor, ["/", *MORE])
    assert wrong == []
    assert {"/docs", "/docs/guide", "/api/v3/topics", "/api/v3/openapi.json"} <= {*pages}
    assert ("/login" in pages) is not logged_in
    assert ("/applications" in pages) is logged_in
    assert ("/signup" in pages) is not logged_in
    assert any(path.startswith("/docs/files/swagger_ui/swagger-ui-bundle.js?v=") for path in pages)
