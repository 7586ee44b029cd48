"""The community's rules for texts: limits and forbidden words."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from forumsvc.services.content.forbidden_words import ForbiddenWords
from tests.cases import each
from tests.functional.conftest import MakeForum, close_application
from tests.functional.forum import SECRET, Forum, Person, make_app

LINK = "[x](https://other.example/{})"
IMAGE = "![x](https://other.example/{}.png)"


def many(unit: str, number: int) -> str:
    """Return a text with that many different links or images."""
    return " ".join(unit.format(n) for n in range(number))


@pytest.fixture(scope="module")
def application(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The application with all rules."""
    application = make_app(
        database_url,
        tmp_path_factory.mktemp("rules"),
        **{
            "site.url": "https://forum.example",
            "posts.newbie_max_links": "2",
            "posts.newbie_max_images": "1",
            "posts.forbidden_words": "casino, free money, 赌博",
        },
    )
    yield application
    close_application(application)


def refused(person: Person, node: int, body: str, title: str = "T") -> str | None:
    """Return why a topic is refused, or None."""
    answer = person.post("/topics", title=title, node_id=node, body=body)
    assert answer.status_int in (201, 400), answer.text
    return None if answer.status_int == 201 else answer.json["error"]


def test_a_first_post_may_hold_so_many_links_and_no_more(alice: Person, node: int) -> None:
    assert refused(alice, node, many(LINK, 3)) == "body: your first post may have at most 2 links"
    assert refused(alice, node, many(LINK, 2)) is None
    assert refused(alice, node, many(LINK, 9)) is None


def test_a_first_post_may_hold_so_many_pictures_and_no_more(alice: Person, node: int) -> None:
    expected = "body: your first post may have at most 1 images"
    assert refused(alice, node, many(IMAGE, 2)) == expected
    assert refused(alice, node, many(IMAGE, 1)) is None


def test_a_first_reply_is_a_first_post_too(forum: Forum, alice: Person, node: int) -> None:
    topic, bob = forum.topic(alice, node), forum.person("bob")
    answer = bob.post(f"/topics/{topic}/replies", body=many(LINK, 3))
    assert (answer.status_int, answer.json["error"][:5]) == (400, "body:")
    forum.reply(bob, topic, many(LINK, 2))
    forum.reply(bob, topic, many(LINK, 3))


def test_links_cannot_be_edited_into_a_first_post(forum: Forum, alice: Person, node: int) -> None:
    bob, topic = forum.person("bob"), forum.topic(alice, node)
    edited = alice.put(f"/topics/{topic}", title="T", node_id=node, body=many(LINK, 3))
    assert edited.status_int == 400
    reply = forum.reply(bob, topic)
    assert bob.post(f"/replies/{reply}", body=many(IMAGE, 2)).status_int == 400
    forum.reply(bob, topic)
    assert bob.post(f"/replies/{reply}", body=many(IMAGE, 2)).status_int == 200


def test_a_deleted_first_post_does_not_count(forum: Forum, alice: Person, node: int) -> None:
    alice.delete(f"/topics/{forum.topic(alice, node)}")
    assert refused(alice, node, many(LINK, 3)) is not None


@pytest.mark.parametrize("role", ["vip", "maintainer", "admin"])
def test_those_with_a_role_are_no_newcomers(forum: Forum, node: int, role: str) -> None:
    assert refused(forum.person("trusted", role=role), node, many(LINK, 3)) is None


@each(
    "body",
    [
        " ".join(f"https://forum.example/{n}" for n in range(5)),
        "#1 #2 #3 #4",
        "@alice @bob2 @carol @dave",
        "`https://other.example/1` " * 5,
        "```\n" + many(LINK, 5) + "\n" + many(IMAGE, 5) + "\n```",
        "\\" + many(LINK, 1) + " \\" + LINK.format(2),
    ],
)
def test_what_leads_nowhere_else_is_no_link(alice: Person, node: int, body: str) -> None:
    assert refused(alice, node, body) is None


@each(
    "body",
    [
        " ".join(f"https://other.example/{n}" for n in range(3)),
        "[a][r] [b][r] [c][r]\n\n[r]: //other.example",
        "<a href='https://other.example'>a</a>" * 3,
        "".join(f"<https://other.example/{n}>\n\n" for n in range(3)),
        "www.other.example " * 3,
    ],
)
def test_a_link_is_counted_however_it_is_written(alice: Person, node: int, body: str) -> None:
    assert refused(alice, node, body) == "body: your first post may have at most 2 links"


def test_several_posts_can_count_as_first_ones(make_forum: MakeForum) -> None:
    forum = make_forum(posts__newbie_posts="2", posts__newbie_max_links="0")
    alice, node = forum.person("alice"), forum.node()
    for _ in range(2):
        assert refused(alice, node, many(LINK, 1)) is not None
        forum.topic(alice, node)
    assert refused(alice, node, many(LINK, 1)) is None


@each(
    "body",
    [
        "Visit our CASINO!",
        "cas**i**no",
        "free\n money",
        "\uff43\uff41\uff53\uff49\uff4e\uff4f",
        "ca\u200bsino",
        "ca\u034fs\u3164i\ufe0fno",
        "casino" + "\u0316\u0301" * 20_000 + " casino",
        "线上赌博网",
        "![c&#97;sino](/photos/x.png)",
        "<b title='c&#97;sino'>x</b>",
    ],
)
def test_a_forbidden_word_is_refused_however_it_is_written(
    alice: Person, node: int, body: str
) -> None:
    error = refused(alice, node, body) or ""
    assert error.startswith("body: holds a word that is not allowed here: ")


def test_a_reference_to_no_character_is_no_error(alice: Person, node: int) -> None:
    assert refused(alice, node, f"x &#{'9' * 5_000};") is None
    error = refused(alice, node, f"c&#{'0' * 5_000}97;sino") or ""
    assert error.startswith("body: holds a word that is not allowed here: ")


@each("body", ["casinos", "occasinoal", "money for free", "a castle"])
def test_other_words_that_hold_it_are_allowed(alice: Person, node: int, body: str) -> None:
    assert refused(alice, node, body) is None


def test_the_words_hold_for_titles_replies_and_edits(
    forum: Forum, alice: Person, node: int
) -> None:
    expected = "title: holds a word that is not allowed here: casino"
    assert refused(alice, node, "B", title="My Casino") == expected
    topic = forum.topic(alice, node)
    reply = forum.reply(alice, topic)
    for answer, field in (
        (alice.put(f"/topics/{topic}", title="Casino", node_id=node, body="A body"), "title"),
        (alice.put(f"/topics/{topic}", title="T", node_id=node, body="casino"), "body"),
        (alice.post(f"/topics/{topic}/replies", body="casino"), "body"),
        (alice.post(f"/replies/{reply}", body="casino"), "body"),
    ):
        assert (answer.status_int, answer.json["error"].partition(":")[0]) == (400, field)
    assert alice.get(f"/topics/{topic}").json["title"] == "A title"


def test_nothing_is_forbidden_or_limited_where_nothing_is_set(make_forum: MakeForum) -> None:
    forum = make_forum()
    assert refused(forum.person("alice"), forum.node(), "casino " + many(LINK, 99)) is None


def test_words_are_read_from_a_file_with_comments(make_forum: MakeForum, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("# spam\nCasino\n\nfree, money\n", encoding="utf-8")
    forum = make_forum(posts__forbidden_words="file:words.txt")
    alice, node = forum.person("alice"), forum.node()
    assert refused(alice, node, "casino") is not None
    assert refused(alice, node, "free, money") is not None
    assert refused(alice, node, "free") is None


def test_a_file_of_words_that_is_not_there_stops_the_service(
    tmp_path: Path, database_url: str
) -> None:
    with pytest.raises(SystemExit) as stopped:
        make_app(database_url, tmp_path, **{"posts.forbidden_words": "file:none.txt"})
    assert str(stopped.value).startswith("forumsvc: posts.forbidden_words: 'file:none.txt' cannot")
    assert SECRET not in str(stopped.value)


def test_ten_thousand_words_are_looked_for_in_the_longest_text_at_once() -> None:
    words = ForbiddenWords(f"forbidden{n}" for n in range(10_000))
    assert words.find_in("forbidden " * 6_500 + "forbidden9999") == "forbidden9999"
    assert words.find_in("forbidden" * 7_000) is None
