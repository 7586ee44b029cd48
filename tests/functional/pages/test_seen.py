"""What is read of a topic: the replies that a script saw on the screen, or else all of a page."""

import pytest

from forumsvc.pages import post_html
from forumsvc.pages.topics import show
from tests.cases import each
from tests.functional.forum import Forum, Person

from .visitor import Visitor, with_password

SCRIPT = {"X-Requested-With": "fetch"}


@pytest.fixture
def topic(forum: Forum) -> int:
    """A topic that ann follows."""
    ann, bob = with_password(forum, "ann"), forum.person("bob")
    topic = forum.topic(bob, forum.node())
    Person(forum.app, forum.token(ann), ann, "ann").post(f"/topics/{topic}/follow")
    return topic


@pytest.fixture
def replies(forum: Forum, topic: int) -> list[int]:
    """Its replies, the last of which mentions ann."""
    bill = forum.person("bill")
    return [forum.reply(bill, topic, body) for body in ("One", "Two", "Three", "Four, @ann")]


@pytest.fixture
def reader(forum: Forum, replies: list[int]) -> Visitor:
    """The browser of ann, in which scripts run."""
    visitor = Visitor(forum)
    visitor.log_in()
    name = visitor.get("/").html.find("script", {"data-cookie": True})["data-cookie"]
    visitor.app.set_cookie(name, "1")
    return visitor


def place(forum: Forum, reader: Visitor) -> tuple[int, int]:
    """Return how many replies are unread, and how many notifications."""
    forum.registry.read_marker.finish()
    page = reader.get("/").html
    news, bell = page.select_one(".topics .to-unread"), page.select_one(".to-notifications .mark")
    return tuple(int(one.text.split()[0]) if one else 0 for one in (news, bell))  # type: ignore[return-value]


def test_a_page_marks_no_reply_where_a_script_tells_which_ones_were_seen(
    forum, reader, topic, replies
):
    before = place(forum, reader)
    reader.get(f"/topics/{topic}")
    assert place(forum, reader) == before == (4, 2)


def test_what_was_on_the_screen_is_read_with_what_tells_of_it(forum, reader, topic, replies):
    seen = ",".join(map(str, replies[:2]))
    path = f"/topics/{topic}/seen?replies={seen}&until={replies[1]}"
    answer = reader.app.get(path, headers=SCRIPT)
    assert (answer.status_int, answer.body) == (204, b"")
    assert place(forum, reader) == (2, 1), "the mention stands in the last one"
    reader.app.get(f"/topics/{topic}/seen?replies={replies[3]}", headers=SCRIPT)
    assert place(forum, reader) == (2, 0), "the third one is left out"


@pytest.fixture
def elsewhere(forum: Forum, replies: list[int]) -> int:
    """A reply of another topic."""
    bill = forum.person("will")
    return forum.reply(bill, forum.topic(bill, forum.node("Other")))


@each(
    ("ids", "headers", "status"),
    [
        pytest.param("", SCRIPT, 404, id="none"),
        pytest.param("{elsewhere}", SCRIPT, 404, id="of another topic"),
        pytest.param("{unknown}", SCRIPT, 404, id="unknown"),
        pytest.param("x", SCRIPT, 400, id="no number"),
        pytest.param("9" * 20, SCRIPT, 404, id="out of range"),
        pytest.param(",".join(["1"] * 101), SCRIPT, 400, id="too many"),
        pytest.param("{reply}", {}, 404, id="asked by a link of another site"),
        pytest.param("{reply}&until={elsewhere}", SCRIPT, 404, id="until one of another topic"),
        pytest.param("{reply}&until=x", SCRIPT, 400, id="until no number"),
    ],
)
def test_replies_that_cannot_be_seen_mark_nothing(
    forum, reader, topic, replies, elsewhere, ids, headers, status
):
    ids = ids.format(reply=replies[3], elsewhere=elsewhere, unknown=elsewhere + 1)
    answer = reader.app.get(f"/topics/{topic}/seen?replies={ids}", headers=headers, status="*")
    assert answer.status_int == status
    assert place(forum, reader) == (4, 2)


def test_the_title_of_a_read_topic_leads_to_the_last_reply_that_was_read(
    forum, reader, topic, replies, monkeypatch
):
    for module in (post_html, show):
        monkeypatch.setattr(module, "REPLIES_PER_PAGE", 2)
    reader.app.get(f"/topics/{topic}/seen?replies={replies[3]}&until={replies[3]}", headers=SCRIPT)
    forum.registry.read_marker.finish()
    title = reader.get("/").html.select_one(".topics .title")
    assert title["href"] == f"/topics/{topic}?reply={replies[3]}"
    assert reader.get(title["href"]).location == f"/topics/{topic}?page=2#reply-{replies[3]}"


def test_news_are_what_others_wrote_after_a_page_was_made(forum, reader, topic, replies):
    path = f"/topics/{topic}/news?after={replies[1]}"
    news = reader.app.get(path, headers=SCRIPT)
    link = news.html.select_one("p > a")
    assert (link.text, link["href"]) == ("2 new replies", f"/replies/{replies[2]}")
    assert news.html.p["data-notifications"] == "2"
    assert place(forum, reader) == (4, 2), "asking reads nothing"
    last = f"/topics/{topic}/news?after={replies[-1]}"
    assert reader.app.get(last, headers=SCRIPT).html.a is None
    numbers = reader.app.get("/topics/news", headers=SCRIPT).html.p.attrs
    assert (numbers["data-topics-unread"], numbers["data-topics-recent"]) == ("1", "")
    for one in (path, "/topics/news"):
        assert reader.app.get(one, status="*").status_int == 404, "only a script asks"
        stranger = Visitor(forum).app.get(one, headers=SCRIPT, status="*")
        assert stranger.status_int in (303, 403)
