"""The explorer and the guide: their files, their CSP, and disabling them."""

import re
from pathlib import Path

import pytest
from webob import Request

import forumsvc.pages
from forumsvc.oauth import explorer
from forumsvc.pages.docs.guide import CHAPTERS, source

from .visitor import Visitor

FOLDER = Path(forumsvc.pages.__file__).parent
GUIDE = ["/docs/guide", *(f"/docs/guide/{name}" for name in CHAPTERS)]


def policy(visitor: Visitor, path: str) -> dict[str, str]:
    """Return the directives of a page's Content-Security-Policy."""
    told = visitor.get(path).headers["Content-Security-Policy"]
    return dict(part.split(" ", 1) for part in told.split("; "))


def test_the_explorer_may_load_only_its_own_files(visitor):
    assert policy(visitor, "/docs") == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "manifest-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "form-action": "'none'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
    }


def test_the_redirect_page_runs_only_its_own_script(visitor):
    told = policy(visitor, explorer.REDIRECT_PATH)
    assert (told["script-src"], told["default-src"]) == ("'self'", "'none'")
    assert visitor.get(explorer.REDIRECT_PATH).headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["/docs", explorer.REDIRECT_PATH])
def test_the_explorers_files_are_immutable_under_their_version(visitor, path):
    page = visitor.get(path).html
    assert not page.find_all(style=True)
    assert not page.find_all("style")
    assert all(not script.text for script in page.find_all("script"))
    addresses = [link["href"] for link in page.find_all("link")]
    addresses += [script["src"] for script in page.find_all("script")]
    assert addresses
    for address in addresses:
        assert re.fullmatch(r"/docs/files/[\w./-]+\?v=[0-9a-f]{12}", address)
        served = visitor.app.get(address)
        assert "immutable" in served.headers["Cache-Control"]
        assert served.headers["X-Content-Type-Options"] == "nosniff"
        again = visitor.app.get(address, headers={"If-None-Match": served.headers["ETag"]})
        assert (again.status_int, again.body) == (304, b"")


def test_the_public_style_sheet_is_revalidated(visitor):
    plain = visitor.app.get("/docs/content.css")
    assert plain.headers["Cache-Control"] == "public, no-cache"
    kept = {"If-None-Match": plain.headers["ETag"]}
    assert visitor.app.get("/docs/content.css", headers=kept, status=304).body == b""
    versioned = visitor.get("/docs/guide").html.find("link", href=re.compile("content.css"))["href"]
    assert "immutable" in visitor.app.get(versioned).headers["Cache-Control"]
    assert "immutable" not in visitor.app.get("/docs/content.css?v=older").headers["Cache-Control"]


def test_the_largest_file_is_compressed(visitor):
    request = Request.blank("/docs/files/swagger_ui/swagger-ui-bundle.js")
    plain = request.get_response(visitor.forum.application)
    request.headers["Accept-Encoding"] = "gzip"
    small = request.get_response(visitor.forum.application)
    assert (plain.content_encoding, small.content_encoding) == (None, "gzip")
    assert small.content_length < plain.content_length / 2
    small.decode_content()
    assert (
        small.body
        == plain.body
        == (FOLDER / "docs/files/swagger_ui/swagger-ui-bundle.js").read_bytes()
    )


def test_the_explorer_logs_in_as_the_client_that_db_upgrade_registers(visitor):
    place = visitor.get("/docs").html.find(id="explorer")
    assert place["data-client-id"] == explorer.CLIENT_ID
    assert place["data-redirect-uri"] == f"http://localhost{explorer.REDIRECT_PATH}"
    assert place["data-description"] == "/api/v3/openapi.json"


def test_a_chapter_has_no_script_and_no_dead_links(visitor):
    links = set()
    for path in GUIDE:
        page = visitor.get(path)
        assert page.status_int == 200
        assert len(page.html.find_all("h1")) == 1
        assert not page.html.find_all(["script", "br"])
        assert page.html.find(attrs={"aria-current": "page"}).text == page.html.h1.text
        links |= {a["href"] for a in page.html.find("main").find_all("a", href=re.compile("^/"))}
    assert links > set(GUIDE[1:])
    for link in links:
        assert visitor.get(link).status_int == 200, link


def test_every_chapter_is_in_the_guide_and_every_file_is_a_chapter():
    assert {path.stem for path in (FOLDER / "docs" / "chapters").glob("*.md")} == set(CHAPTERS)
    assert all(source(name).startswith("# ") for name in CHAPTERS)


def test_the_examples_use_the_base_url_of_the_reader(make_forum):
    site = make_forum(**{"site.url": "https://forum.example.org"})
    text = Visitor(site).get("/docs/guide").html.get_text()
    assert text.count("https://forum.example.org") >= 3
    assert "127.0.0.1:6543" not in text


@pytest.mark.parametrize("path", ["/static/", "/docs/files/", "/docs/files/swagger_ui/"])
def test_folders_of_static_files_are_not_listed(visitor, path):
    assert visitor.get(path).status_int == 404
    slashless = visitor.app.get(path.removesuffix("/"), status="*")
    assert (slashless.status_int, slashless.headers.get("Location")) in [
        (404, None),
        (301, f"http://localhost{path}"),
    ]


@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        ("/favicon.ico", "image/vnd.microsoft.icon"),
        ("/robots.txt", "text/plain"),
        ("/docs/content.css", "text/css"),
        ("/docs/files/explorer.js", "text/javascript"),
        ("/docs/files/swagger_ui/favicon-32x32.png", "image/png"),
    ],
)
def test_every_static_file_has_its_media_type_and_is_not_sniffed(visitor, path, media_type):
    served = visitor.app.get(path)
    assert served.content_type == media_type
    assert served.charset == ("UTF-8" if media_type.startswith("text/") else None)
    assert served.headers["X-Content-Type-Options"] == "nosniff"
    assert served.headers["Cache-Control"] == "public, no-cache"
    assert served.content_length == len(served.body) > 0
