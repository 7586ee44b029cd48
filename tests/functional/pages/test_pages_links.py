"""No page has a dead link, whoever reads it."""

import re
from collections.abc import Iterator
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from webtest import TestResponse

from .community import settle
from .visitor import Visitor

HOST = "http://localhost"
ATTRIBUTES = {"a": "href", "link": "href", "script": "src", "img": "src", "form": "action"}
URL_IN_CSS = re.compile(r"""url\(\s*["']?(?!["']?data:)([^"')]+)""")
MORE = ["/favicon.ico", "/robots.txt", "/sitemap.xml"]
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
            assert parts.scheme in ("http", "https", "mailto"), address
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


def headings(page: TestResponse) -> tuple[int, bool]:
    title = page.html.find("title")
    return len(page.html.find_all("h1")), bool(title and title.text.partition(" · ")[0].strip())


EXTENDED = [pytest.param(name, marks=pytest.mark.extended) for name in ("member", "maintainer")]


@pytest.mark.parametrize("caller", ["nobody", *EXTENDED])
def test_no_page_has_a_dead_link_and_each_has_a_title_and_a_heading(forum, visitor, ann, caller):
    community = settle(forum, ann, ann if caller == "maintainer" else None)
    if caller != "nobody":
        visitor.log_in()
    hidden = [f"/topics/{community.banned}"] if caller == "maintainer" else []
    searches = [f"/search?q=boats&kind={kind}" for kind in ("topics", "replies", "users")]
    pages, wrong = follow(visitor, ["/", *MORE, *searches, *hidden])
    assert wrong == []
    for path, page in pages.items():
        if page.content_type == "text/html" and page.status_int == 200 and path != "/docs":
            assert headings(page) == (1, True), path
    assert {"/docs", "/docs/guide", "/topics/last", "/bob/followers", "/api/v3/openapi.json"} <= {
        *pages
    }
    of_members = {"/applications", "/settings", "/notifications", "/topics/new"}
    of_visitors = {"/login", "/signup"}
    shown, absent = (of_visitors, of_members) if caller == "nobody" else (of_members, of_visitors)
    assert shown <= {*pages}
    assert not absent & {*pages}
    assert any(path.startswith("/docs/files/swagger_ui/swagger-ui-bundle.js?v=") for path in pages)
