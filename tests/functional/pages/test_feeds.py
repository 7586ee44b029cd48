"""Feeds, the sitemap, robots.txt, and what previews of links show."""

import json
import re
from datetime import timedelta

import pytest
from sqlalchemy import delete, update

from forumsvc import clock
from forumsvc.markup.text_content import text_content
from forumsvc.models import Topic, TopicRead
from forumsvc.pages import crawlers
from forumsvc.pages.previews import beginning
from forumsvc.services.search.reindexing import reindex
from forumsvc.text.ids import MAX_ID
from tests import databases
from tests.functional.forum import Caller, Forum
from tests.functional.statements import counting

from .visitor import Visitor

ATOM = "{http://www.w3.org/2005/Atom}"
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


@pytest.fixture
def topic(forum: Forum) -> int:
    """A topic of alice, who mentions bob."""
    alice, _ = forum.person("alice"), forum.person("bob")
    body = "Hello @bob <b>&\x0b]]>\n\n![a](/photos/x.png)"
    return forum.topic(alice, forum.node(), title="Ships & </script>", body=body)


@pytest.mark.parametrize("path", ["/topics", "/nodes/{node}", "/users/alice"])
def test_a_feed_has_the_newest_topics(forum, visitor, topic, path):
    node = forum.nobody.get(f"/topics/{topic}").json["node_id"]
    path = path.format(node=node)
    atom = visitor.get(f"{path}/feed.xml")
    assert atom.content_type == "application/atom+xml"
    feed = atom.xml
    [entry] = feed.findall(f"{ATOM}entry")
    assert entry.findtext(f"{ATOM}title") == "Ships & </script>"
    assert entry.findtext(f"{ATOM}id") == f"http://localhost/topics/{topic}"
    html = entry.findtext(f"{ATOM}content") or ""
    assert 'href="http://localhost/bob"' in html
    shown = visitor.get(f"{path}/feed.json")
    assert shown.content_type == "application/feed+json"
    [item] = json.loads(shown.body)["items"]
    assert (item["title"], item["content_html"]) == ("Ships & </script>", html)


def test_a_topic_of_a_hidden_node_is_in_the_feed_of_the_node_alone(forum, visitor):
    node = forum.node(hidden_in_lists=True)
    forum.topic(forum.person("alice"), node)
    entries = [
        len(visitor.get(f"{path}/feed.xml").xml.findall(f"{ATOM}entry"))
        for path in ("/topics", f"/nodes/{node}", "/users/alice")
    ]
    assert entries == [0, 1, 1]


def test_the_ids_of_a_feed_stay_when_the_site_moves(make_forum):
    old, new = "http://forum.example/a", "https://new.example"
    ids: list[list[str | None]] = []
    for settings in ({"site__url": old}, {"site__url": new, "pages__feed_ids": old}):
        forum = make_forum(**settings)
        if not ids:
            forum.topic(forum.person("bob"), forum.node())
        visitor = Visitor(forum)
        feed = visitor.get("/topics/feed.xml").xml
        [item] = json.loads(visitor.get("/topics/feed.json").body)["items"]
        assert item["url"].startswith(settings["site__url"])
        ids.append([item["id"], *(one.text for one in feed.iter(f"{ATOM}id"))])
    assert ids[0] == ids[1]
    assert all(one and one.startswith(old) for one in ids[0])


@pytest.mark.parametrize("path", ["/topics/feed.xml", "/topics/feed.json", "/users/alice/feed.xml"])
def test_an_unchanged_feed_is_304_and_shows_nothing_hidden(forum, visitor, topic, path):
    first = visitor.get(path)
    etag = {"If-None-Match": first.headers["ETag"]}
    assert visitor.app.get(path, headers=etag).status_int == 304
    forum.person("root", role="admin").post(f"/topics/{topic}/ban")
    changed = visitor.app.get(path, headers=etag)
    assert f"/topics/{topic}" not in changed.text


def test_an_unchanged_feed_is_304_without_a_look_at_its_topics(forum, visitor, topic):
    path = "/topics/feed.xml"
    etag = {"If-None-Match": visitor.get(path).headers["ETag"]}
    with counting(forum.database) as statements:
        assert visitor.app.get(path, headers=etag).status_int == 304
    assert not [one for one in statements.texts if "body_html" in one or "title" in one]
    node = forum.nobody.get(f"/topics/{topic}").json["node_id"]
    alice = Caller(forum.app, forum.token(forum.nobody.get("/users/alice").json["id"]))
    alice.put(f"/topics/{topic}", title="Ships", node_id=node, body="A new text")
    assert "A new text" in visitor.app.get(path, headers=etag).text


def test_links_of_a_feed_are_absolute_and_code_is_as_it_was_written(forum, visitor):
    code = '`<a href="/login">`\n\n```html\n<img src="/x">\n```\n\n<none href="/y"> <https://[>\n\n'
    links = '[a](/b) [c](d?e=1&f) [g](#h) ![i](//j/k) <b title="href=/l">m</b> [n](mailto:o@p.q)'
    topic = forum.topic(forum.person("alice"), forum.node(), body=code + links)
    kept = forum.nobody.get(f"/topics/{topic}").json["body_html"]
    [item] = json.loads(visitor.get("/topics/feed.json").body)["items"]
    html = item["content_html"]
    assert re.findall(r'<[^<>]* (?:href|src)="([^"]*)"', html) == [
        *("http://localhost/b", "http://localhost/topics/d?e=1&amp;f"),
        *(f"http://localhost/topics/{topic}#h", "http://j/k", "mailto:o@p.q"),
    ]
    assert text_content(html) == text_content(kept)


def test_words_in_angle_brackets_are_shown_wherever_a_text_is(forum, visitor):
    title, body = "Why <text> & <none>?", "docker images shows <none> as the name, why?"
    topic = forum.topic(forum.person("alice"), forum.node(), title=title, body=body)
    reindex(forum.database)
    page = visitor.get(f"/topics/{topic}").html
    shown = forum.nobody.get(f"/topics/{topic}").json
    [item] = json.loads(visitor.get("/topics/feed.json").body)["items"]
    found = visitor.get("/search?q=none+why").html
    assert (shown["title"], text_content(shown["body_html"]).strip()) == (title, body)
    assert (item["title"], text_content(item["content_html"]).strip()) == (title, body)
    assert page.find("meta", property="og:title")["content"] == title
    assert page.find("meta", property="og:description")["content"] == body
    assert page.find("h1").text.strip() == title
    assert title in found.text
    assert body in found.text


def test_a_feed_has_the_beginning_of_a_long_text(forum, visitor):
    words = " ".join(f"word{number} &amp; *<b>*" for number in range(2_000))
    forum.topic(forum.person("alice"), forum.node(), body=words)
    [item] = json.loads(visitor.get("/topics/feed.json").body)["items"]
    html = item["content_html"]
    assert html.startswith("<p>word0 &amp; ")
    assert html.endswith("…</p>")
    assert len(html) < 4_000


def test_a_part_of_the_sitemap_is_kept_for_an_hour(forum, visitor, topic, monkeypatch):
    moment = clock.now().replace(minute=30)
    monkeypatch.setattr(clock, "now", lambda: moment)
    # Its number depends on the ids, and so on the tests before.
    part = [one.text or "" for one in visitor.get("/sitemap.xml").xml.iter(f"{SITEMAP}loc")][-1]
    first = visitor.get(part)
    assert first.headers["Cache-Control"] == "public, max-age=3600"
    other = forum.topic(forum.person("carl"), forum.node("Other"))
    with counting(forum.database) as statements:
        assert visitor.get(part).body == first.body
    assert not [one for one in statements.texts if "BETWEEN" in one]
    monkeypatch.setattr(clock, "now", lambda: moment + timedelta(hours=1))
    assert f"/topics/{other}<" in visitor.get(part).text


def test_the_sitemap_has_every_visible_topic_once(forum, visitor, topic, monkeypatch):
    monkeypatch.setattr(crawlers, "PART", 2)
    alice, node = forum.person("alice2"), forum.node("Other")
    others = [forum.topic(alice, node) for _ in range(4)]
    forum.person("root", role="admin").delete(f"/topics/{others[0]}")
    index = visitor.get("/sitemap.xml").xml
    parts = [one.text or "" for one in index.iter(f"{SITEMAP}loc")]
    found = [
        place.text or ""
        for part in parts
        for place in visitor.app.get(part).xml.iter(f"{SITEMAP}loc")
    ]
    topics = [address for address in found if address.rpartition("/")[2].isdigit()]
    assert topics == [f"http://localhost/topics/{one}" for one in (topic, *others[1:])]
    assert f"http://localhost/topics/node{node}" in found


def test_the_sitemap_passes_over_ids_that_nobody_has(forum, visitor, request):
    request.addfinalizer(lambda: databases.restart_ids(forum.database))
    topic = forum.topic(forum.person("alice"), forum.node())
    with forum.database.session.begin() as db:
        db.execute(delete(TopicRead))
        db.execute(update(Topic).where(Topic.id == topic).values(id=MAX_ID))
    index = visitor.get("/sitemap.xml").xml
    [_, part] = [one.text or "" for one in index.iter(f"{SITEMAP}loc")]
    assert f"/topics/{MAX_ID}<" in visitor.get(part).text


@pytest.mark.parametrize("part", ["2", "999999", "9" * 40])
def test_a_part_that_the_sitemap_does_not_have_is_not_found(visitor, topic, part):
    assert visitor.get(f"/sitemap-{part}.xml").status_int == 404


def test_crawlers_learn_the_address_of_the_sitemap(visitor):
    text = visitor.get("/robots.txt").text
    assert "Sitemap: http://localhost/sitemap.xml" in text
    assert "Disallow: /api/" in text


def test_a_topic_says_what_previews_and_search_engines_ask(visitor, topic):
    page = visitor.get(f"/topics/{topic}").html
    assert page.find("link", rel="canonical")["href"] == f"http://localhost/topics/{topic}"
    assert page.find("meta", property="og:title")["content"] == "Ships & </script>"
    image = page.find("meta", property="og:image")["content"]
    assert image == "http://localhost/photos/x.png"
    posting = json.loads(page.find("script", type="application/ld+json").string)
    assert posting["@type"] == "DiscussionForumPosting"
    assert posting["headline"] == "Ships & </script>"
    assert posting["author"]["url"] == "http://localhost/alice"


def test_a_preview_and_a_cut_text_keep_what_details_hide(forum, visitor):
    hidden = "<details><summary>Ending</summary>\n\nSecret ![a](/photos/x.png)\n\n</details>"
    body = f"{hidden}\n\nAfter {'word ' * 2_000}"
    topic = forum.topic(forum.person("bob"), forum.node(), body=body)
    [item] = json.loads(visitor.get("/topics/feed.json").body)["items"]
    page = visitor.get(f"/topics/{topic}").html
    description = page.find("meta", property="og:description")["content"]
    for text in (description, text_content(item["content_html"])):
        assert text.split()[:3] == ["Ending", "After", "word"]
    assert "Secret" not in page.find("script", type="application/ld+json").string
    assert "x.png" not in page.find("meta", property="og:image")["content"]


def test_a_preview_never_shows_an_svg_which_no_network_takes(forum, visitor):
    topic = forum.topic(forum.person("bob"), forum.node())
    for path in ("/", "/bob", f"/topics/{topic}"):
        image = visitor.get(path).html.find("meta", property="og:image")["content"]
        found = visitor.get(image.removeprefix("http://localhost"))
        assert (found.status_int, found.content_type) == (200, "image/png")


def test_the_two_addresses_of_the_newest_topics_have_one_name(visitor, topic):
    for path in ("/", "/topics"):
        page = visitor.get(path).html
        assert page.title.text == "Forum"
        assert page.find("meta", {"name": "description"})["content"] == "The latest topics of Forum"
        assert page.find("link", rel="canonical")["href"] == "http://localhost/"


@pytest.mark.parametrize(
    ("text", "length", "shown"),
    [
        ("one two three", 20, "one two three"),
        ("one two three", 9, "one two…"),
        ("一二三四五", 3, "一二…"),
        ("e\u0301e\u0301e\u0301", 4, "e\u0301…"),
        ("👩\u200d👩\u200d👧 family", 3, "…"),
        ("🇩🇪🇩🇪🇩🇪", 4, "🇩🇪…"),
        ("क्षिक्षिक्षि", 7, "क्षि…"),
    ],
)
def test_a_description_ends_between_words_or_characters(text, length, shown):
    assert beginning(text, length) == shown


@pytest.mark.parametrize(
    "address", ["https://[@e.example/x.png", "//[x/y.png", "https://℀@e.example/x"]
)
def test_a_picture_whose_address_no_browser_opens_harms_no_page(forum, visitor, address):
    author = forum.person("bob")
    topic = forum.topic(author, forum.node(), body=f"![a]({address})")
    forum.reply(author, topic, f"![a]({address})")
    for path in (f"/topics/{topic}", "/", "/bob", "/topics/feed.xml", "/search?q=title"):
        assert visitor.get(path).status_int == 200, path
    image = visitor.get(f"/topics/{topic}").html.find("meta", property="og:image")["content"]
    assert image.startswith("http://localhost/")
