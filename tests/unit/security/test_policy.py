"""What the access matrix cannot show: a topic in two states, and which of many tokens counts."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from forumsvc.errors import Malformed
from forumsvc.permissions import Common
from forumsvc.resources.root import Root
from forumsvc.resources.topics import TopicItem, Topics
from forumsvc.security.credentials import access_token
from forumsvc.security.identity import Identity
from forumsvc.security.policy import granted


def test_a_topic_that_is_banned_and_deleted_is_hidden_from_its_author_too():
    author = Identity(1, "ann", "member", frozenset(), 1)
    request: Any = SimpleNamespace()
    topics = Topics(Root(request, author, is_write=False), "topics")
    then = datetime(2026, 1, 1, tzinfo=UTC)
    for deleted_at, is_seen in ((None, True), (then, False)):
        row = SimpleNamespace(user_id=1, banned_at=then, deleted_at=deleted_at)
        assert granted(author, TopicItem(topics, "7", row), Common.VIEW) is is_seen


NONE = st.sampled_from([None, "", "null", "undefined"])


@given(st.lists(NONE), NONE)
def test_values_that_mean_no_token_are_ignored(values, header):
    assert access_token(values, header and f"Bearer {header}") is None


@given(st.lists(st.text()), st.none() | st.text())
def test_a_token_is_one_that_was_sent_or_two_are_refused(values, header):
    try:
        token = access_token(values, header)
    except Malformed:
        assert len({*values, header}) > 1
        return
    assert token is None or token in values or token in (header or "")
