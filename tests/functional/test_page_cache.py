"""What the page cache holds: one page for one address, whoever makes it and however it is asked."""

from typing import Any

from tests.functional.forum import Forum


def keys(forum: Forum) -> list[Any]:
    """Return the keys of the pages that are cached."""
    return [key for key in forum.registry.memory._kept if key[0] != "topic"]


def test_a_page_is_cached_once_however_its_id_is_spelled(forum: Forum) -> None:
    alice = forum.person("alice")
    topic = forum.topic(alice, forum.node())
    forum.reply(alice, topic)
    before = len(keys(forum))
    for path in ("/topics/{}", "/topics/{}.json", "/topics/{}/replies"):
        answers = [
            forum.nobody.get(path.format(f"{zeros}{topic}")) for zeros in ("0000", "", "0", "00")
        ]
        assert {answer.status_int for answer in answers} == {200}
        assert len({answer.headers["ETag"] for answer in answers}) == 1
        links = {answer.headers.get("Link") for answer in answers}
        assert links == {answers[1].headers.get("Link")}
    assert len(keys(forum)) - before == 2


def test_a_list_names_the_id_in_its_one_spelling_in_its_links(forum: Forum) -> None:
    topic = forum.topic(forum.person("alice"), forum.node())
    link = forum.nobody.get(f"/topics/000{topic}/replies").headers["Link"]
    assert f"/api/v3/topics/{topic}/replies?" in link


def test_pages_are_cached_under_the_names_of_their_operations(forum: Forum) -> None:
    alice = forum.person("alice")
    topic = forum.topic(alice, forum.node())
    for path in ("/topics", f"/topics/{topic}/replies", "/nodes"):
        assert forum.nobody.get(path).status_int == 200
    assert {key[0] for key in keys(forum)} >= {
        "topics.list_topics",
        "topics.list_replies",
        "nodes.list_nodes",
    }
