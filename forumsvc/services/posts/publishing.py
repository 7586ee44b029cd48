"""Publishing new topics and replies, or holding them for a moderator."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from ...queries import held_posts
from ...queries.rows import ReplyRow, TopicRow, TopicStateRow
from ..access import post_networks
from ..moderation import held_posts as held_post_service
from . import replies, topics
from .authoring import Authoring, RenderedPost
from .pace import Pace
from .topics import TopicContent


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
        self, db: Session, author: Author, now: datetime, authoring: Authoring, new: TopicContent
    ) -> TopicRow | int:
        """Create a topic. Raises Invalid if the node does not exist, too."""
        user_id, body = author.user_id, new.body
        return self._publish(
            *(db, author, now, authoring, body, {"title": new.title, "node_id": new.node_id}),
            partial(self.pace.check_topic, db, user_id, now, new.title, body.body),
            partial(topics.create, db, user_id, now, authoring, new),
        )

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
        return self._publish(
            *(db, author, now, authoring, body, {"topic_id": topic.id}),
            partial(self.pace.check_reply, db, author.user_id, now, topic.id, body.body),
            partial(replies.create, db, author.user_id, now, authoring, topic, body),
        )

    def _publish(
        self,
        db: Session,
        author: Author,
        now: datetime,
        authoring: Authoring,
        body: RenderedPost,
        post: dict[str, Any],
        check_pace: Callable[..., None],
        create: Callable[[], Any],
    ) -> Any:
        """Return what `create` returns, or the id of the held post. post: what is held with it."""
        rules, user_id, title = authoring.rules, author.user_id, post.get("title")
        if rules.may_hold:
            held = held_posts.waiting_equal(db, user_id, body.body, title, post.get("topic_id"))
            if held is not None:
                return held
        check_pace(is_limited=author.is_limited)
        reason = rules.reason_to_hold(db, user_id, body.text, body.body, title)
        if reason is not None:
            # What is refused is refused now, not when a moderator has read it.
            rules.check_rendered(db, user_id, body.text, is_new=True)
            created: Any = held_post_service.hold(db, user_id, now, reason, body=body.body, **post)
        else:
            created = create()
        if self.network_secret is not None:
            post_networks.remember(db, self.network_secret, user_id, author.address, now)
        return created
