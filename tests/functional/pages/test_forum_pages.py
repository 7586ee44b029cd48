"""The forum's pages, read by visitors and used by members."""

import gzip
from urllib.parse import parse_qs, urlsplit

import pytest
from webtest import TestResponse

from forumsvc.pages import post_html
from forumsvc.pages.topics import show
from forumsvc.services.search.reindexing import reindex
from tests.functional.forum import Forum, Person, content
from tests.functional.pages.visitor import Visitor, form_of, with_password
from tests.functional.statements import counting


@pytest.fixture
def topic(forum: Forum, ann: int) -> int:
    """A topic of alice with a reply."""
    alice = forum.person("alice")
    topic_id = forum.topic(alice, forum.node())
    forum.reply(alice, topic_id, "First **reply**")
    return topic_id


def test_an_unchanged_page_is_304_for_visitors_and_a_changed_one_is_new(forum, visitor, topic):
    path = f"/topics/{topic}"
    etag = {"If-None-Match": visitor.get(path).headers["ETag"]}
    assert visitor.app.get(path, headers=etag).status_int == 304
    forum.reply(forum.person("bob"), topic, "Second")
    assert "Second" in visitor.app.get(path, headers=etag).text


def test_the_views_of_a_cached_page_are_those_of_now(visitor, topic):
    shown = [int(visitor.get(f"/topics/{topic}").html.find(class_="hits").text) for _ in range(3)]
    assert shown[1:] == [shown[0] + 1, shown[0] + 2]


@pytest.mark.parametrize("path", ["/a/b", "/topics/1/nothing"])
def test_an_unknown_path_has_the_frame_of_every_page(forum, visitor, ann, path):
    visitor.log_in()
    page = visitor.app.get(path, status=404, headers={"Accept-Language": "zh"}).html
    known = visitor.app.get("/topics", headers={"Accept-Language": "zh"}).html
    assert [page.header, page.footer, page.find("html")["lang"]] == [
        *(known.header, known.footer, "zh")
    ]


def test_a_reply_leads_to_its_answers_on_later_pages_but_for_deleted_ones(
    forum, visitor, topic, monkeypatch
):
    for module in (post_html, show):
        monkeypatch.setattr(module, "REPLIES_PER_PAGE", 2)
    visitor.log_in()
    bob = forum.person("bob")
    for body in ("Second", "#1 is right", "#2, and #9", "No, #1", "#1 again"):
        reply = forum.reply(bob, topic, body)
    bob.delete(f"/replies/{reply}")

    def answers(page: int) -> list[str]:
        links = visitor.get(f"/topics/{topic}", page=page).html.select(".forum-content + .about a")
        return [f"{link.text} {link['href']}" for link in links]

    floor = f"/topics/{topic}?floor="
    assert answers(1) == [f"#3 {floor}3", f"#5 {floor}5", f"#4 {floor}4"]
    assert answers(2) == []
    monkeypatch.setattr(show, "_MAX_LATER", 2)
    assert answers(1) == [f"#3 {floor}3", f"#4 {floor}4"]


def test_a_member_writes_a_topic_previews_replies_and_likes(forum, visitor, topic):
    visitor.log_in()
    form = visitor.form("/topics/new")
    form["title"], form["body"] = "Hello", "Some *text*"
    form["node_id"].select(text=form["node_id"].options[1][2])
    page = form.submit("preview")
    assert "<em>text</em>" in page.text
    page = form_of(page).submit().follow()
    assert "<em>text</em>" in page.text
    page = visitor.send(page.request.path, body="My reply").follow().follow()
    assert "My reply" in page.text


@pytest.mark.parametrize(
    ("accepted", "words", "language"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "待回复", "zh"),
        ("de", "Unanswered", "en"),
        ("en", "Unanswered", "en"),
    ],
)
def test_a_page_is_in_the_language_of_its_reader(visitor, topic, accepted, words, language):
    page = visitor.app.get("/topics", headers={"Accept-Language": accepted})
    assert words in page.text
    assert page.html.find("html")["lang"] == page.headers["Content-Language"] == language


MEMBER = {"favorite", "follow", "like", "report"}
AUTHOR = {"delete", "edit", "favorite", "follow", "like"}
CHIEF = {*MEMBER, *AUTHOR, "ban", "excellent", "pin", "replies"}
BUTTONS: dict[str, dict[str, set[str]]] = {
    "open": {
        "ann": {*MEMBER, "replies"},
        "alice": {*AUTHOR, "replies", "close"},
        "chief": {*CHIEF, "close"},
    },
    "close": {"ann": MEMBER, "alice": AUTHOR, "chief": {*CHIEF, "open"}},
    "ban": {"alice": set(), "chief": CHIEF - {"ban", "replies", "report"} | {"open", "unban"}},
}
"""On a topic of alice's, after what the maintainer has done last; those left out see no topic."""


def buttons(page: TestResponse, place: str = "main") -> set[str]:
    """Return the last parts of the addresses that the buttons of a place on a page lead to."""
    [part] = page.html.select(place)
    addresses = [one["formaction"] for one in part.select("button[formaction]")]
    addresses += [form["action"] for form in part.find_all("form")]
    addresses += [link["href"] for link in part.select(".buttons a")]
    return {address.partition("?")[0].rpartition("/")[2] for address in addresses}


def test_a_button_stands_where_the_api_would_allow_it(forum, visitor, ann):
    alice = forum.caller(forum.token(with_password(forum, "alice")))
    with_password(forum, "chief", role="maintainer")
    people = {login: Visitor(forum) for login in ("ann", "alice", "chief")}
    for login, person in people.items():
        person.log_in(login)
    made = alice.post("/topics", title="T", node_id=forum.node(), body="B")
    topic = content(made)["id"]
    path = f"/topics/{topic}"
    for action, expected in BUTTONS.items():
        people["chief"].post(f"{path}/{action}")
        pages = {login: person.get(path) for login, person in people.items()}
        seen = {login: buttons(page) for login, page in pages.items() if page.status_int == 200}
        assert seen == expected, action
    people["chief"].post(f"{path}/unban")
    assert buttons(visitor.get(path)) == buttons(visitor.get("/alice")) == set()
    assert {"block", "follow"} <= buttons(people["ann"].get("/alice"))
    assert buttons(people["alice"].get("/alice")) == set()
    people["chief"].post(f"{path}/open")
    reply = forum.reply(Person(forum.app, forum.token(ann), ann, "ann"), topic)
    of_reply = {one: buttons(who.get(path), f"#reply-{reply}") for one, who in people.items()}
    changes = {"ann": {"edit", "delete"}, "alice": set(), "chief": {"edit", "delete"}}
    assert {one: shown & {"edit", "delete"} for one, shown in of_reply.items()} == changes
    people["ann"].post(f"{path}/like")
    assert "unlike" in buttons(people["ann"].get(path))
    assert people["ann"].post(f"{path}/close").status_int == 403


@pytest.mark.parametrize(
    ("path", "of_visitor", "of_member"),
    [
        ("/topics", 1, 8),
        ("/topics/{topic}", 1, 7),
        ("/alice", 2, 6),
        ("/topics/{topic}/likes", 2, 3),
        ("/topics/feed.xml", 1, 3),
        ("/sitemap-1.xml", 1, 2),
        ("/notifications", 0, 2),
        ("/settings", 0, 2),
        ("/topics/new", 0, 3),
    ],
)
def test_a_page_needs_few_statements_however_much_it_shows(
    forum, visitor, topic, path, of_visitor, of_member, monkeypatch
):
    # What was read is written behind the request, perhaps while the next one is counted.
    monkeypatch.setattr(forum.registry.read_marker, "opened", lambda *args, **values: None)
    for number in range(30):
        forum.reply(forum.person(f"user{number}"), topic, "More")
    path = path.format(topic=topic)
    visitor.get(path)
    with counting(forum.registry.database) as seen:
        assert visitor.get(path).status_int in (200, 303)
    assert len(seen) == of_visitor, seen.texts
    visitor.log_in()
    with counting(forum.registry.database) as seen:
        assert visitor.get(path).status_int == 200
    assert len(seen) == of_member, seen.texts


def test_a_cached_page_and_a_304_allow_the_pictures_that_the_page_allowed(visitor, topic):
    answers = [visitor.get(f"/topics/{topic}") for _ in range(2)]
    etag = {"If-None-Match": answers[0].headers["ETag"]}
    answers.append(visitor.app.get(f"/topics/{topic}", headers=etag))
    assert [answer.status_int for answer in answers] == [200, 200, 304]
    for answer in answers:
        assert "img-src 'self' https:" in answer.headers["Content-Security-Policy"]


def test_a_link_to_a_heading_stays_in_its_post(forum, visitor, topic):
    bob, text = forum.person("robert"), '# Setup\n\n[up](#setup)\n\n`<b id="user-content-setup">`'
    replies = [forum.reply(bob, topic, text) for _ in range(2)]
    page = visitor.get(f"/topics/{topic}").html
    for reply in replies:
        post = page.find(id=f"reply-{reply}")
        heading = page.find(id=post.find("a", string="up")["href"].removeprefix("#"))
        assert heading in post.find_all("h3")
        assert post.find("code").text == '<b id="user-content-setup">'
    shown = visitor.get("/robert/replies").html.select("h3[id]")
    assert len({heading["id"] for heading in shown}) == len(replies)
    stored = forum.nobody.get(f"/replies/{replies[0]}").json["body_html"]
    assert '<h1 id="user-content-setup">' in stored


@pytest.mark.parametrize("fitting", [0, 1, 2])
def test_a_page_links_to_the_texts_that_would_make_it_too_long(
    forum, visitor, topic, fitting, monkeypatch
):
    eve = forum.person("eve")
    for number in range(4):
        forum.reply(eve, topic, f"Text {number}")
    monkeypatch.setattr(show, "MAX_PAGE_TEXT", fitting * len("<p>Text 0</p>"))
    path, found = f"/topics/{topic}", []
    while path:
        posts = visitor.get(path).html.select("article[id^=reply-]")
        assert len(posts) == 5
        texts = [text.text.strip() for post in posts for text in post.select(".forum-content")]
        assert 1 <= len(texts) <= max(fitting, 1)
        found += texts
        shown = [not post.select("a[href*=from]") for post in posts]
        later = posts[len(shown) - shown[::-1].index(True) :]
        path = later[0].select_one("a[href*=from]")["href"] if later else ""
    assert found == ["First reply", *(f"Text {number}" for number in range(4))]


def test_each_page_of_a_topic_says_its_place_and_later_ones_fold_the_first_post(
    forum, visitor, topic
):
    eve = forum.person("eve")
    replies = [forum.reply(eve, topic, f"Text {number}") for number in range(60)]
    eve.delete(f"/replies/{replies[0]}")
    path = f"/topics/{topic}"
    first, second = (visitor.get(path, page=number).html for number in (1, 2))
    assert [one.find(class_="place").text for one in (first, second)] == [
        "1–50 of 61",
        "51–61 of 61",
    ]
    assert [len(one.select("details #topic")) for one in (first, second)] == [0, 1]
    assert second.select("details[open] #topic") == []
    links = {one["href"] for one in (*first.select(".pages a"), *second.select(".pages a"))}
    assert links == {f"{path}#replies", f"{path}?page=2#replies"}
    place = second.find(id="floor-51").find_parent("article")
    assert place is second.find(id="reply51").find_parent("article")
    assert place["id"] == f"reply-{replies[49]}"


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("/topics/{topic}?page=1&utm=x", "/topics/{topic}?page=1"),
        ("/topics/{topic}", "/topics/{topic}"),
        ("/topics/popular?fbclid=1", "/topics/popular"),
        ("/search?q=a+b&kind=users", "/search?q=a+b&kind=users"),
        ("/alice", "/alice"),
        ("/?x=1", ""),
        ("/login?next=/alice", "/alice"),
        ("/login?next=https://evil.example/", ""),
        ("/signup?next=/alice", "/alice"),
        ("/nothing/here", ""),
    ],
)
def test_a_login_leads_back_to_the_page(visitor, topic, path, known):
    page = visitor.get(path.format(topic=topic)).html
    links = {urlsplit(one["href"]) for one in page.select(".account a[href*='/login']")}
    [query] = {parse_qs(link.query).get("next", [""])[0] for link in links}
    assert query == known.format(topic=topic)


def test_more_results_are_on_the_next_page(forum, visitor):
    alice, node = forum.person("alice"), forum.node()
    for number in range(21):
        forum.topic(alice, node, title=f"Canoe {number}")
    reindex(forum.database)
    page = visitor.get("/search", q="canoe").click("More")
    assert len(page.html.find(class_="found").find_all("li")) == 1


MOST = 40_000
"""Bytes of a topic with 20 replies and all that it loads, compressed, but for pictures."""


@pytest.mark.parametrize("is_member", [False, True])
def test_a_topic_with_20_replies_is_small(forum, visitor, ann, is_member):
    if is_member:
        visitor.log_in()
    alice = forum.person("alice")
    text = "Some words with a [link](https://example.org) and `code`, as posts have them. " * 6
    topic = forum.topic(alice, forum.node(), body=text)
    for number in range(20):
        forum.reply(alice, topic, f"{number}: {text}")
    page = visitor.get(f"/topics/{topic}")
    loaded = [one["href"] for one in page.html.find_all("link", rel="stylesheet")]
    loaded += [one["src"] for one in page.html.find_all("script", src=True)]
    bodies = [page.body, *(visitor.get(address).body for address in loaded)]
    assert len(bodies) == 5 + 2 * is_member
    assert sum(len(gzip.compress(body)) for body in bodies) < MOST
