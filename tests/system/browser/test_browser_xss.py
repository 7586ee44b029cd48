"""Stored hostile texts, logins and images run no script in a browser.

A page counts every call of `pwned()`, which all payloads call when they run (`alert` counts, too).
It is loaded without a content security policy, its images fail, its elements are focused, hovered
over, opened and clicked.
"""

import html
import io
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, Route

from forumsvc.markup import RenderedText
from forumsvc.media.avatars import letter_avatar
from forumsvc.search.excerpts import Excerpts, mark_title
from forumsvc.search.matching import WordMatcher
from forumsvc.search.query import parse_query
from tests.functional.forum import Forum
from tests.unit.markup import xss_corpus

from .conftest import forum_in

ADDRESS = "http://forum.example/"
CODE = "pwned()"
TOGETHER = 25
COUNTER = "<!doctype html><script>var hits=0;function pwned(){hits++}alert=pwned</script><body>"
PROVOKE = """async () => {
  const inert = thing => ['', ':', 'http:', 'https:', 'mailto:'].includes(thing.protocol);
  addEventListener('click', event => {
    const link = event.target.closest('a');
    if (link && inert(link)) event.preventDefault();
  }, true);
  const things = [...document.querySelectorAll('body *')];
  const bad = things.filter(t => 'protocol' in t && !inert(t));
  const loads = [...document.images].map(i => new Promise(done => {
    i.addEventListener('error', done); i.addEventListener('load', done);
    i.loading = 'eager'; i.src = i.src;
    if (!i.getAttribute('src')) done();
  }));
  await Promise.all(loads);
  for (const thing of things) {
    for (const kind of ['mouseover', 'pointerenter', 'focus', 'toggle', 'click'])
      thing.dispatchEvent(new Event(kind, {bubbles: false, cancelable: true}));
    if (thing.tagName === 'DETAILS') { thing.open = false; thing.open = true; }
    if (thing.tagName === 'A') thing.click();
  }
  await new Promise(done => setTimeout(done, 0));
  await new Promise(requestAnimationFrame);
  return {hits, bad: bad.map(t => t.outerHTML)};
}"""

Load = Callable[..., dict[str, Any]]


@pytest.fixture
def load(browser: Browser) -> Iterator[Load]:
    """A function: load a document; return how often script ran, and the links that would run it."""
    context = browser.new_context()
    page: Page = context.new_page()
    served: dict[str, Any] = {}

    def serve(route: Route) -> None:
        if route.request.url == ADDRESS and route.request.is_navigation_request():
            route.fulfill(**served)
        else:
            route.abort()

    def loaded(body: str, provoke: str = PROVOKE, **how: Any) -> dict[str, Any]:
        served.clear()
        served.update(body=body, content_type="text/html; charset=utf-8")
        served.update(how)
        page.goto(ADDRESS)
        found: dict[str, Any] = page.evaluate(provoke)
        return found

    page.route("**/*", serve)
    yield loaded
    context.close()


@pytest.fixture(scope="module")
def forum(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forum]:
    with forum_in(tmp_path_factory.mktemp("xss"), **{"markup.workers": "2"}) as forum:
        yield forum


def pages(bodies: list[str], size: int = 400) -> list[str]:
    parts = (bodies[start : start + size] for start in range(0, len(bodies), size))
    return [COUNTER + "".join(f"<div>{body}</div>" for body in part) for part in parts]


NOTHING = {"hits": 0, "bad": []}


def test_nothing_of_the_corpus_runs_each_text_by_itself(forum, load):
    render = forum.registry.authoring.renderer.render
    texts = sorted({*xss_corpus.texts(CODE), *xss_corpus.published()})
    bodies = [render(text).html for text in texts]
    assert len(bodies) > 2_000
    assert [load(page) for page in pages(bodies)] == [NOTHING] * len(pages(bodies))


@pytest.mark.parametrize("query", ["script", "on* img src pwned", "svg"])
def test_nothing_of_the_corpus_runs_as_a_marked_title_or_excerpt(load, query):
    matcher = WordMatcher(parse_query(query).words)
    texts = sorted({*xss_corpus.texts(CODE), *xss_corpus.published()})
    bodies = [f"{mark_title(text, matcher)} {Excerpts(matcher).excerpt(text)}" for text in texts]
    assert sum("<mark>" in body for body in bodies) > 100
    assert [load(page) for page in pages(bodies)] == [NOTHING] * len(pages(bodies))


@pytest.mark.parametrize(
    "payload",
    [
        "<script>pwned()</script>",
        "<img src=x onerror=pwned()>",
        "<svg onload=pwned()>",
        "<details open ontoggle=pwned()><summary>x</summary></details>",
        "<p onmouseover=pwned()>x</p>",
        "<p onclick=pwned()>x</p>",
        "<a href=javascript:pwned()>x</a>",
        "<a href='java&#10;script:pwned()'>x</a>",
        "<iframe srcdoc='<script>parent.pwned()</script>'></iframe>",
        "<script>alert(1)</script>",
    ],
)
def test_the_page_detects_an_unsanitized_payload(load, payload):
    assert load(pages([payload])[0])["hits"] > 0


def test_the_page_names_links_that_would_run_script(load):
    assert load(pages(["<a href='vbscript:x'>x</a>"])[0])["bad"] == ['<a href="vbscript:x">x</a>']


def test_no_login_runs_in_a_mention_or_in_a_letter_avatar(load):
    logins = [payload for payload in xss_corpus.payloads(CODE) if "\x00" not in payload]
    linked = [
        RenderedText(("", "bob", "")).to_html({"bob": login}, template)
        for login in logins
        for template in ("/{login}", "https://forum.example/{login}?x=1")
    ]
    inline = [letter_avatar(login) for login in logins]
    for bodies in (linked, inline):
        assert [load(page) for page in pages(bodies)] == [NOTHING] * len(pages(bodies))


def test_a_letter_avatar_opened_by_itself_runs_nothing(load):
    probe = "() => [document.documentElement.tagName, document.scripts.length]"
    for login in ("</title><script>pwned()</script>", '"><a onload=pwned()>', "<svg/onload=x>"):
        found = load(letter_avatar(login), probe, content_type="image/svg+xml")
        assert found == ["svg", 0]


def test_an_image_with_script_in_it_is_an_image_whatever_it_is_opened_as(forum, load):
    data = io.BytesIO()
    Image.new("RGB", (64, 64), "red").save(data, "PNG")
    script = f"<html><script>{CODE}</script>".encode()
    carol = forum.person("carol")
    made = carol.call(
        "POST", "/photos", upload_files=[("file", "a.html", data.getvalue() + script)]
    )
    served = forum.app.get(made.json["image_url"])
    headers = dict(served.headers)
    probe = "() => [document.contentType, document.images.length, document.scripts.length]"
    assert load(served.body, probe, headers=headers, content_type=None) == ["image/png", 1, 0]
    assert b"script" not in served.body


@pytest.mark.parametrize("place", ["![x]({})", "[x]({})", "<img src='{}'>", "{}"])
def test_no_address_of_an_image_runs(forum, load, place):
    url = "http://localhost/photos/ab/x.png"
    endings = ['"onerror=pwned()', "' onerror=pwned() '", "#<script>pwned()</script>", "?`pwned()`"]
    render = forum.registry.authoring.renderer.render
    bodies = [render(place.format(url + ending)).html for ending in endings]
    bodies += [f"<img src='{html.escape(url + ending, quote=True)}'>" for ending in endings]
    assert load(pages(bodies)[0]) == NOTHING
