"""Publishing new topics and replies, or holding them for a moderator."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from ...models import HoldReason
from ...queries import held_posts
from ...queries.rows import ReplyRow, TopicRow, TopicStateRow
from .. import replies, topics
from ..access import post_networks
from ..moderation import held_posts as held_post_service
from .authoring import Authoring, RenderedPost
from .pace import Pace


class Author(NamedTuple):
    """Who posts. is_limited: whether the limits of the pace hold for them; address: the client's
    IP address.
    """

    user_id: int
    is_limited: bool
    address: str


@dataclass(frozen=True, slots=True)
class Publisher:
    """Publishes or holds the posts of a community.

    network_secret: for the hashes of the networks that people post from; None where none are kept.

    Its methods return the id of the held post in place of the row where the post has to wait. The
    same text of the same author that waits already is not held again. They raise Invalid for a text
    that breaks a rule, RateLimited, Conflict.
    """

    pace: Pace
    network_secret: str | None

    def create_topic(
        self,
        db: Session,
        author: Author,
        now: datetime,
        authoring: Authoring,
        *,
        title: str,
        node_id: int,
        body: RenderedPost,
    ) -> TopicRow | int:
        """Create a topic. Raises Invalid if the node does not exist, too."""
        post = {"body": body.body, "title": title, "node_id": node_id}
        waiting = _waiting(db, author, authoring, post)
        if waiting is not None:
            return waiting
        is_limited = author.is_limited
        self.pace.check_topic(db, author.user_id, now, title, body.body, is_limited=is_limited)
        reason = _reason_to_hold(db, author, authoring, body, title)
        if reason is not None:
            return self._hold(db, author, now, authoring, reason, body, post)
        topic = topics.create(
            db, author.user_id, now, authoring, title=title, node_id=node_id, body=body
        )
        self._remember_network(db, author, now)
        return topic

    def create_reply(
        self,
        db: Session,
        author: Author,
        now: datetime,
        authoring: Authoring,
        topic: TopicStateRow,
        body: RenderedPost,
    ) -> ReplyRow | int:
        """Create a reply to a topic, which is locked."""
        post = {"body": body.body, "topic_id": topic.id}
        waiting = _waiting(db, author, authoring, post)
        if waiting is not None:
            return waiting
        is_limited = author.is_limited
        self.pace.check_reply(db, author.user_id, now, topic.id, body.body, is_limited=is_limited)
        reason = _reason_to_hold(db, author, authoring, body, None)
        if reason is not None:
            return self._hold(db, author, now, authoring, reason, body, post)
        reply = replies.create(db, author.user_id, now, authoring, topic, body)
        self._remember_network(db, author, now)
        return reply

    def _hold(
        self,
        db: Session,
        author: Author,
        now: datetime,
        authoring: Authoring,
        reason: HoldReason,
        body: RenderedPost,
        post: dict[str, Any],
    ) -> int:
        # What is refused is refused now, not when a moderator has read it.
        authoring.rules.check_rendered(db, author.user_id, body.text, is_new=True)
        self._remember_network(db, author, now)
        return held_post_service.hold(db, author.user_id, now, reason, **post)

    def _remember_network(self, db: Session, author: Author, now: datetime) -> None:
        if self.network_secret is not None:
            post_networks.remember(db, self.network_secret, author.user_id, author.address, now)


def _waiting(db: Session, author: Author, authoring: Authoring, post: dict[str, Any]) -> int | None:
    """Return the id of a post of the author with the same text that waits, or None."""
    if not authoring.rules.may_hold:
        return None
    title, topic_id = post.get("title"), post.get("topic_id")
    return held_posts.waiting_equal(db, author.user_id, post["body"], title, topic_id)


def _reason_to_hold(
    db: Session, author: Author, authoring: Authoring, body: RenderedPost, title: str | None
) -> HoldReason | None:
    rules = authoring.rules
    return rules.reason_to_hold(db, author.user_id, body.text, body.body, title)
