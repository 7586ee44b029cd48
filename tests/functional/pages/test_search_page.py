"""The page of the search."""

import pytest

from forumsvc.services.search_reindex import mark_pending, reindex
from tests.functional.conftest import MakeForum
from tests.functional.forum import Forum

from .visitor import Visitor, problem, wrong

QUOTES = "put it in quotes to find it as words"


@pytest.fixture
def indexed(forum: Forum) -> int:
    """A topic with a reply, both indexed."""
    alice = forum.person("alice")
    topic = forum.topic(alice, forum.node(), title="Sailing <b>boats</b>", body="On a lake.")
    forum.reply(forum.person("bob"), topic, "The lake is deep.")
    reindex(forum.database)
    return topic


def test_a_topic_is_found_with_its_words_marked(visitor: Visitor, indexed: int) -> None:
    page = visitor.get("/search", q="boats")
    assert page.html.find("mark").text == "boats"
    assert "&lt;b&gt;" in page.text
    assert page.click(href=f"/topics/{indexed}$").status_int == 200


def test_a_reply_is_found_and_leads_to_its_place(visitor: Visitor, indexed: int) -> None:
    page = visitor.get("/search", q="deep", kind="replies")
    place = page.click(href="/replies/").location
    assert place.startswith(f"/topics/{indexed}#reply-")


def test_a_user_is_found_by_the_beginning_of_the_login(visitor: Visitor, indexed: int) -> None:
    assert visitor.get("/search", q="ali", kind="users").click("alice").status_int == 200


def test_more_results_are_on_the_next_page(forum: Forum, visitor: Visitor) -> None:
    alice, node = forum.person("alice"), forum.node()
    for number in range(21):
        forum.topic(alice, node, title=f"Canoe {number}")
    reindex(forum.database)
    page = visitor.get("/search", q="canoe").click("More")
    assert len(page.html.find(class_="found").find_all("li")) == 1


@pytest.mark.parametrize("query", ["", " "])
def test_without_words_there_is_only_the_form(visitor: Visitor, query: str) -> None:
    page = visitor.get("/search", q=query)
    assert page.status_int == 200
    assert page.html.find(class_="found") is None


def test_a_wrong_operator_is_an_error_of_the_field(visitor: Visitor, indexed: int) -> None:
    page = visitor.get("/search", q="boats by:nobody")
    assert f"There is no user 'nobody'; {QUOTES}." in wrong(page)
    assert page.html.find(id="q")["value"] == "boats by:nobody"


@pytest.mark.parametrize("name", ["kind", "offset", "since"])
def test_an_error_of_another_parameter_names_it(visitor: Visitor, indexed: int, name: str) -> None:
    page = visitor.get("/search", q="boats", **{name: "houses"})
    assert page.status_int == 400
    assert problem(page).startswith(f"'{name}' must be")


def test_before_the_index_is_complete_the_page_says_so(
    forum: Forum, visitor: Visitor, indexed: int
) -> None:
    with forum.database.session.begin() as db:
        mark_pending(db)
    page = visitor.get("/search", q="boats")
    assert page.status_int == 503
    assert "being indexed" in page.html.find(role="alert").text


def test_a_search_for_members_asks_a_visitor_to_log_in(make_forum: MakeForum) -> None:
    visitor = Visitor(make_forum(**{"search.open_to": "members"}))
    assert visitor.get("/search", q="x").location.endswith("/login?next=%2Fsearch%3Fq%3Dx")


def test_a_search_that_is_off_has_no_page_and_no_link(make_forum: MakeForum) -> None:
    visitor = Visitor(make_forum(**{"search.open_to": "off"}))
    assert visitor.get("/search").status_int == 404
    assert visitor.get("/").html.find("a", href="/search") is None


@pytest.mark.parametrize(
    ("words", "language", "sentence"),
    [
        ("by:nobodyatall x", "en", f"There is no user 'nobodyatall'; {QUOTES}."),
        ("by:nobodyatall x", "zh", "没有用户 'nobodyatall'；加上引号即可按文字搜索。"),
        ("-x", "en", "The search must also have a word that is to be found."),
        ("after:soon x", "en", f"After: 'soon' is no date such as 2026-01-31; {QUOTES}."),
    ],
)
def test_what_is_wrong_with_the_words_is_a_sentence(
    visitor: Visitor, words: str, language: str, sentence: str
) -> None:
    page = visitor.app.get(
        "/search", {"q": words}, headers={"Accept-Language": language}, status=400
    )
    assert page.html.find(id="q-wrong").text == sentence
