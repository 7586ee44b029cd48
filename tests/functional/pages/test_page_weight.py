"""How much a page makes a phone load."""

import gzip

import pytest

from tests.functional.forum import Forum

from .visitor import Visitor

MOST = 40_000
"""Bytes of a topic with 20 replies and all that it loads, compressed, but for pictures."""


@pytest.mark.parametrize("is_member", [False, True])
def test_a_topic_with_20_replies_is_small(
    forum: Forum, visitor: Visitor, ann: int, is_member: bool
) -> None:
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
    assert len(bodies) == 4 + is_member
    assert sum(len(gzip.compress(body)) for body in bodies) < MOST
