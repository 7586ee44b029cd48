"""Searching topics and replies.

The index proposes the newest posts that have the words (`search_candidates`), and the rows of the
posts decide: what was banned, deleted or moved a moment ago is judged as it is now, however far
behind the index is. `search.ranking` orders what is left.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row

from ..db.limited_reads import time_left
from ..models import ReplyWords, TopicWords
from ..search.expressions import condition
from ..search.matching import PhraseMatcher, WordMatcher
from ..search.query import Order, Query, State, Where
from ..search.ranking import Found, rank_posts, rank_topics
from . import search_candidates, search_rows
from .search_candidates import IdRange
from .search_documents import Words

MAX_PHRASE_TEXTS = 200
"""How many texts are compared with a phrase, the best posts first."""

_TIME_FOR_THE_REST = 0.5
"""Which part of a search's time is left for what follows the comparison with a phrase."""

_DISORDER = timedelta(hours=1)
"""Posts are written at most so much out of the order of their ids."""


@dataclass(frozen=True, slots=True)
class Search:
    """A query whose node and user are known, with what the caller may see.

    viewer_id: whose blocked users are left out, None for nobody; hidden: also posts that are
    banned or deleted.
    """

    query: Query
    node_id: int | None = None
    user_id: int | None = None
    where: Where = Where.ALL
    order: Order = Order.RELEVANCE
    viewer_id: int | None = None
    hidden: bool = False


class Candidates(NamedTuple):
    """The ids that the index proposes. titles: of topics with all words in the title."""

    titles: list[int]
    topics: list[int]
    replies: list[int]


class Post(NamedTuple):
    """What was found, with its plain text."""

    found: Found
    text: str


def find_topics(
    db: Connection, search: Search, now: datetime, offset: int, limit: int
) -> tuple[list[Post], bool]:
    """Return a page of the topics that were found, each by its best post; and whether more follow.

    db: a connection with a time limit.
    """
    posts = _find(db, search, candidates(db, search), now, of_topics=True, end=offset + limit + 1)
    return _page(db, rank_topics(posts, search.order, now), offset, limit)


def find_replies(
    db: Connection, search: Search, now: datetime, offset: int, limit: int
) -> tuple[list[Post], bool]:
    """Return a page of the replies that were found; and whether more follow.

    db: a connection with a time limit.
    """
    posts = _find(db, search, candidates(db, search), now, of_topics=False, end=offset + limit + 1)
    return _page(db, rank_posts(posts, search.order, now), offset, limit)


def candidates(db: Connection, search: Search) -> Candidates:
    """Return the ids of the newest posts that have the words, at most 200 of a kind.

    Without words, those of the user or the node that is sought.
    """
    query, where = search.query, search.where
    result: dict[str, list[int]] = {name: [] for name in Candidates._fields}
    condition_of = partial(
        condition, query, node_id=search.node_id, user_id=search.user_id, hidden=search.hidden
    )
    if where != Where.REPLIES:
        ids = _ids_between(db, TopicWords, query)
        if query.words:
            result["titles"] = search_candidates.newest(
                db, TopicWords, condition_of(in_title=True), ids
            )
        # Without words there is nothing to find in titles: all topics are meant.
        if where != Where.TITLE or not query.words:
            result["topics"] = search_candidates.newest(db, TopicWords, condition_of(), ids)
    if where in (Where.ALL, Where.REPLIES):
        ids = _ids_between(db, ReplyWords, query)
        result["replies"] = search_candidates.newest(db, ReplyWords, condition_of(), ids)
    return Candidates(**result)


def _ids_between(db: Connection, words: Words, query: Query) -> IdRange:
    """Return the ids of a time, a little more; their rows are compared with the exact time."""
    first = last = None
    if query.since is not None:
        first = search_candidates.first_id_at(db, words, _moved(query.since, -_DISORDER))
        if first is None:
            return IdRange(1, 0)
    if query.until is not None:
        last = search_candidates.first_id_at(db, words, _moved(query.until, _DISORDER))
    values = {"first": first, "last": last}
    return IdRange(**{name: at for name, at in values.items() if at is not None})


def _moved(moment: datetime, distance: timedelta) -> datetime:
    try:
        return moment + distance
    except OverflowError:
        return moment


def _find(
    db: Connection,
    search: Search,
    proposed: Candidates,
    now: datetime,
    *,
    of_topics: bool,
    end: int,
) -> list[Found]:
    """Return the posts that the caller may see, of those that the index proposes.

    end: how many topics are needed at most.
    """
    replies = search_rows.reply_states(db, proposed.replies)
    topic_ids = {*proposed.titles, *proposed.topics, *(row.topic_id for row in replies)}
    topics = search_rows.topic_states(db, sorted(topic_ids))
    blocked = search_rows.blocked_by(db, search.viewer_id)
    matcher = WordMatcher(search.query.words)
    shown = {
        row.id: matcher.judge(row.title)
        for row in topics.values()
        if _is_sought(search, row) and not (of_topics and row.user_id in blocked)
    }
    is_own = {*proposed.titles, *proposed.topics} & shown.keys()
    posts = [
        _found(topics[topic_id], None, shown[topic_id])
        for topic_id in is_own
        if of_topics and _has_post(search, topics[topic_id])
    ]
    posts += [
        _found(topics[row.topic_id], row, shown[row.topic_id], of_topics=of_topics)
        for row in replies
        if row.topic_id in shown
        and row.user_id not in blocked
        and (search.hidden or row.deleted_at is None)
        and _has_post(search, row)
    ]
    if search.query.phrases or search.query.excluded_phrases:
        ranked = rank_posts(posts, search.order, now)
        # Replies of one topic are a page, too.
        enough = end if of_topics else MAX_PHRASE_TEXTS
        posts = _with_phrases(db, search.query, ranked, topics, enough)
    return posts


def _is_sought(search: Search, topic: Row[Any]) -> bool:
    """Return whether a topic may be shown, and is in the node and the states that are sought."""
    is_hidden = topic.banned_at is not None or topic.deleted_at is not None
    if (is_hidden and not search.hidden) or search.node_id not in (None, topic.node_id):
        return False
    return all(_HAS_STATE[state](topic) for state in search.query.states)


_HAS_STATE: Mapping[State, Any] = {
    State.OPEN: lambda topic: topic.closed_at is None,
    State.CLOSED: lambda topic: topic.closed_at is not None,
    State.EXCELLENT: lambda topic: topic.excellent_at is not None,
    State.UNANSWERED: lambda topic: topic.replies_count == 0,
}


def _has_post(search: Search, post: Row[Any]) -> bool:
    """Return whether a post is of the user and the time that are sought."""
    query = search.query
    return (
        search.user_id in (None, post.user_id)
        and (query.since is None or post.created_at >= query.since)
        and (query.until is None or post.created_at < query.until)
    )


def _found(
    topic: Row[Any],
    reply: Row[Any] | None,
    in_title: tuple[bool, bool],
    *,
    of_topics: bool = True,
) -> Found:
    post = topic if reply is None else reply
    return Found(
        topic.id,
        None if reply is None else reply.id,
        post.likes_count,
        post.created_at,
        *in_title,
        topic.excellent_at is not None,
        topic.likes_count if of_topics else post.likes_count,
        topic.replies_count,
    )


def _with_phrases(
    db: Connection,
    query: Query,
    ranked: Sequence[Found],
    topics: Mapping[int, Row[Any]],
    enough: int,
) -> list[Found]:
    """Return the posts with the phrases of the query, until so many topics or replies are there.

    What there is no time to compare is left out.
    """
    posts, matching = ranked[:MAX_PHRASE_TEXTS], []
    matcher = PhraseMatcher(query.phrases, query.excluded_phrases)
    topic_ids: set[int] = set()
    for post, text in zip(posts, search_rows.texts(db, posts), strict=True):
        if time_left(db) < _TIME_FOR_THE_REST:
            break
        title = "" if post.reply_id is not None else f"{topics[post.topic_id].title}\n"
        if matcher.matches(title + text):
            matching.append(post)
            topic_ids.add(post.topic_id)
            if len(topic_ids) == enough:
                break
    return matching


def _page(
    db: Connection, ranked: Sequence[Found], offset: int, limit: int
) -> tuple[list[Post], bool]:
    page = ranked[offset : offset + limit]
    posts = [Post(post, text) for post, text in zip(page, search_rows.texts(db, page), strict=True)]
    return posts, len(ranked) > offset + limit
