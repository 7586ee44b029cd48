"""New topics and replies, for the API and for the pages: published, or held for a moderator."""

from ..models import HoldReason, Role
from ..queries import held_posts
from ..queries.rows import ReplyRow, TopicRow, TopicStateRow
from ..security.identity import Level
from ..services import replies, topics
from ..services.content.authoring import RenderedPost
from ..services.moderation import holding
from . import moderating
from .api.request import ForumRequest

_LIMITED = frozenset({Level.NEWBIE, str(Role.MEMBER)})


def post_topic(
    request: ForumRequest, *, title: str, node_id: int, body: RenderedPost
) -> TopicRow | int:
    """Create a topic and return it, or return the id of the held post.

    The same text that waits already is not held again.

    Raises Invalid if the node does not exist or the text breaks a rule, RateLimited, Conflict.
    """
    waiting = _waiting_equal(request, body, title=title)
    if waiting is not None:
        return waiting
    request.registry.pace.check_topic(
        *(request.db, request.actor_id, request.now, title, body.body),
        is_limited=_is_limited(request),
    )
    reason = _reason_to_hold(request, body, title)
    if reason is not None:
        return _hold(request, reason, body, title=title, node_id=node_id)
    db, authoring = request.db, request.authoring
    topic = topics.create(
        db, request.actor_id, request.now, authoring, title=title, node_id=node_id, body=body
    )
    moderating.remember_network(request)
    return topic


def post_reply(request: ForumRequest, topic: TopicStateRow, body: RenderedPost) -> ReplyRow | int:
    """Create a reply to a topic, which is locked, or return the id of the held post.

    The same text that waits already is not held again.

    Raises Invalid if the text breaks a rule, RateLimited, Conflict.
    """
    waiting = _waiting_equal(request, body, topic_id=topic.id)
    if waiting is not None:
        return waiting
    request.registry.pace.check_reply(
        *(request.db, request.actor_id, request.now, topic.id, body.body),
        is_limited=_is_limited(request),
    )
    reason = _reason_to_hold(request, body, None)
    if reason is not None:
        return _hold(request, reason, body, topic_id=topic.id)
    db, authoring = request.db, request.authoring
    reply = replies.create(db, request.actor_id, request.now, authoring, topic, body)
    moderating.remember_network(request)
    return reply


def _is_limited(request: ForumRequest) -> bool:
    return request.caller is not None and request.caller.level in _LIMITED


def _waiting_equal(
    request: ForumRequest,
    body: RenderedPost,
    *,
    title: str | None = None,
    topic_id: int | None = None,
) -> int | None:
    """Return the id of a post of the caller with the same text that waits, or None."""
    if not request.authoring.rules.may_hold:
        return None
    return held_posts.waiting_equal(request.db, request.actor_id, body.body, title, topic_id)


def _reason_to_hold(
    request: ForumRequest, body: RenderedPost, title: str | None
) -> HoldReason | None:
    rules = request.authoring.rules
    return rules.reason_to_hold(request.db, request.actor_id, body.text, body.body, title)


def _hold(
    request: ForumRequest,
    reason: HoldReason,
    body: RenderedPost,
    *,
    title: str | None = None,
    node_id: int | None = None,
    topic_id: int | None = None,
) -> int:
    """Hold a post that breaks no rule. Raises Invalid, Conflict."""
    # What is refused is refused now, not when a moderator has read it.
    request.authoring.rules.check_rendered(request.db, request.actor_id, body.text, is_new=True)
    moderating.remember_network(request)
    return holding.hold(
        *(request.db, request.actor_id, request.now, reason),
        body=body.body,
        title=title,
        node_id=node_id,
        topic_id=topic_id,
    )
