"""The community's rules for texts: limits and forbidden words."""

import pytest

from forumsvc.services.posts.rules import ForbiddenWords
from tests.functional.forum import SECRET, Person, make_app


def refused(person: Person, node: int, body: str, title: str = "T") -> str | None:
    answer = person.post("/topics", title=title, node_id=node, body=body)
    assert answer.status_int in (201, 400), answer.text
    return None if answer.status_int == 201 else answer.json["error"]


def test_a_reference_to_no_character_is_no_error(make_forum):
    forum = make_forum(posts__forbidden_words="casino")
    alice, node = forum.person("alice"), forum.node()
    marks = "casino" + "\u0316\u0301" * 20_000 + " casino"
    assert (refused(alice, node, marks) or "").startswith("body: holds a word")
    assert refused(alice, node, f"x &#{'9' * 5_000};") is None
    error = refused(alice, node, f"c&#{'0' * 5_000}97;sino") or ""
    assert error.startswith("body: holds a word that is not allowed here: ")


def test_words_are_read_from_a_file_with_comments(make_forum, tmp_path):
    (tmp_path / "words.txt").write_text("# spam\nCasino\n\nfree, money\n", encoding="utf-8")
    forum = make_forum(posts__forbidden_words="file:words.txt")
    alice, node = forum.person("alice"), forum.node()
    assert refused(alice, node, "casino") is not None
    assert refused(alice, node, "free, money") is not None
    assert refused(alice, node, "free") is None


def test_a_file_of_words_that_is_not_there_stops_the_service(tmp_path, database_url):
    with pytest.raises(SystemExit) as stopped:
        make_app(database_url, tmp_path, **{"posts.forbidden_words": "file:none.txt"})
    assert str(stopped.value).startswith("forumsvc: posts.forbidden_words: 'file:none.txt' cannot")
    assert SECRET not in str(stopped.value)


def test_ten_thousand_words_are_looked_for_in_the_longest_text_at_once():
    words = ForbiddenWords(f"forbidden{n}" for n in range(10_000))
    assert words.find_in("forbidden " * 6_500 + "forbidden9999") == "forbidden9999"
    assert words.find_in("forbidden" * 7_000) is None
