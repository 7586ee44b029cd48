"""Every page is valid HTML, whoever reads it and in each language."""

from collections.abc import Iterator

import pytest

from tests.functional.forum import Forum
from tests.functional.pages.community import settle
from tests.functional.pages.conftest import OPEN
from tests.functional.pages.test_pages_links import follow
from tests.functional.pages.visitor import Visitor, with_password
from tests.programs import require

from .conftest import forum_in
from .judges import markup_errors, nu_errors


@pytest.fixture(scope="module")
def forum(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forum]:
    """A forum with everything to be seen in it; ann is a maintainer, dora a member."""
    with forum_in(tmp_path_factory.mktemp("valid"), **OPEN) as forum:
        with_password(forum, "dora")
        settle(forum, with_password(forum), with_password(forum, "keeper"))
        yield forum


@pytest.mark.parametrize(("login", "language"), [(None, "en"), ("ann", "zh"), ("keeper", "en")])
def test_every_page_is_valid(forum, tmp_path, login, language):
    visitor = Visitor(forum, HTTP_ACCEPT_LANGUAGE=language)
    if login:
        visitor.log_in(login)
    start = ["/", "/search?q=boats", "/search?q=boats&kind=users", "/search?q=by%3Anobody"]
    pages, _ = follow(visitor, start)
    shown = {
        path: page.text
        for path, page in pages.items()
        if page.content_type == "text/html" and page.status_int // 100 != 3 and path != "/docs"
    }
    assert len(shown) > 30
    shown["an error"] = visitor.get("/nothing/here").text
    errors = markup_errors(shown, tmp_path)
    assert errors == [], "\n".join(errors[:40])
    errors = nu_errors(shown, tmp_path, require("java"))
    assert errors == [], "\n".join(errors[:40])


@pytest.mark.parametrize(
    "body",
    [
        '<p><time datetime="2026-13-40">x</time></p>',
        '<p><a href="http://exa mple.org">x</a></p>',
        '<p lang="klingon">x</p>',
        '<p><button type="submit" form="nothing">x</button></p>',
    ],
    ids=["a time", "an address", "a language", "a form"],
)
def test_a_value_that_html_does_not_allow_is_found(tmp_path, body):
    page = f'<!DOCTYPE html><html lang="en"><title>x</title><h1>x</h1>{body}</html>'
    assert len(nu_errors({"/": page}, tmp_path, require("java"))) == 1
