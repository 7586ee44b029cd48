"""The order of what was found. Pure functions: both databases give the same order.

The weights are judged by 40 queries in `tests/functional/test_search_judged.py`.
"""

import math
from datetime import datetime, timedelta
from typing import NamedTuple

from .query import Order

_ALL_IN_TITLE = 8.0
"""Nearly always what is sought; as much as all else together can be."""
_ANY_IN_TITLE = 2.0
"""The topic is about a part of the query."""
_OPENING = 1.0
"""The first text of a topic says what it is about; a reply often mentions a word in passing."""
_EXCELLENT = 1.0
"""Somebody who knows chose it: as much as three likes."""
_LIKES = 0.5
"""A doubling counts half a point, so that thousands of likes do not outweigh the title."""
_REPLIES = 0.25
"""Half as much: a discussion is long for other reasons, too."""
_AGE = 0.5
"""A doubling of the age costs as much as a doubling of likes gains."""
_MONTH = timedelta(days=30)


class Found(NamedTuple):
    """A post that was found, with what its rank depends on.

    topic_id: its topic; reply_id: None for the topic's opening; likes: of the post; all_in_title,
    any_in_title: whether the words of the query are in the topic's title; excellent, topic_likes,
    replies: of the topic.
    """

    topic_id: int
    reply_id: int | None
    likes: int
    created_at: datetime
    all_in_title: bool
    any_in_title: bool
    excellent: bool
    topic_likes: int
    replies: int


def score(post: Found, now: datetime) -> float:
    """Return the score of a post as the match of its topic; the higher, the earlier."""
    months = max(0.0, (now - post.created_at) / _MONTH)
    return (
        _ALL_IN_TITLE * post.all_in_title
        + _ANY_IN_TITLE * post.any_in_title
        + _OPENING * (post.reply_id is None)
        + _EXCELLENT * post.excellent
        + _LIKES * math.log2(1 + post.topic_likes)
        + _REPLIES * math.log2(1 + post.replies)
        - _AGE * math.log2(1 + months)
    )


def rank_topics(posts: list[Found], order: Order, now: datetime) -> list[Found]:
    """Return the best post of each topic, the best topic first."""
    best: dict[int, Found] = {}
    for post in sorted(posts, key=_BEST_OF_TOPIC[order], reverse=True):
        best.setdefault(post.topic_id, post)
    return rank_posts([*best.values()], order, now)


def rank_posts(posts: list[Found], order: Order, now: datetime) -> list[Found]:
    """Return the posts, the best first."""
    if order == Order.RELEVANCE:
        return sorted(posts, key=lambda post: (score(post, now), _newest(post)), reverse=True)
    return sorted(posts, key=_KEYS[order], reverse=True)


def _newest(post: Found) -> tuple[datetime, int, int]:
    return post.created_at, post.topic_id, post.reply_id or 0


def _most_liked(post: Found) -> tuple[int, tuple[datetime, int, int]]:
    return post.likes, _newest(post)


def _opening_first(post: Found) -> tuple[bool, int, tuple[datetime, int, int]]:
    return post.reply_id is None, *_most_liked(post)


_KEYS = {Order.RECENT: _newest, Order.LIKES: _most_liked}
_BEST_OF_TOPIC = {
    Order.RELEVANCE: _opening_first,
    Order.RECENT: _newest,
    Order.LIKES: _most_liked,
}
