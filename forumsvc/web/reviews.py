"""Deciding on reviews, for the API and for the pages."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from pyramid.httpexceptions import HTTPForbidden

from ..models import Decision, ReviewKind
from ..permissions import UserPermission
from ..queries import reports, reviews, users
from ..queries.rows import UserRow
from ..resources.reviews import ReviewItem
from ..resources.users import UserItem
from ..security.policy import decide
from ..services.moderation import decisions
from ..services.moderation.decisions import Verdict
from ..services.moderation.held_posts import Publication
from .api.locking import lock_item
from .api.request import ForumRequest


def render_held(
    item: ReviewItem, request: ForumRequest, values: Mapping[str, Any]
) -> Publication | None:
    """Render what a decision publishes: see `decisions.render_held`."""
    decision = Decision(values["decision"])
    return decisions.render_held(request.executor, request.authoring, item.row, decision)


def resolve(
    item: ReviewItem,
    request: ForumRequest,
    values: Mapping[str, Any],
    publication: Publication | None,
) -> None:
    """Decide on a review, which is locked. publication: of `render_held`.

    Raises Invalid, PreconditionFailed, Conflict, HTTPForbidden.
    """
    verdict = Verdict(
        *(Decision(values["decision"]), values["reason"], values["version"]),
        *(values["silence_days"], publication),
    )

    def lock_author() -> UserRow:
        user: Any = item.root["users"][str(item.row.author_id)]
        allowed = decide(request.caller, user, UserPermission.SILENCE)
        if not allowed:
            raise HTTPForbidden(result=allowed)
        locked: UserItem = lock_item(user, request, UserPermission.SILENCE, whole_row=True)
        return locked.row

    decisions.resolve(
        request.db, request.actor_id_or_none, request.now, item.row, verdict, lock_author
    )


def with_details(item: ReviewItem, request: ForumRequest) -> ReviewItem:
    """Load the reports, the object and the author of a review."""
    root, row = item.root, item.row
    post: Any = None
    if row.kind == ReviewKind.HELD:
        held = decisions.held_post_of(request.db, row)
        post = root.held_posts.wrap(str(held.id), held)
    elif row.reply_id is not None:
        post = root.replies.wrap(str(row.reply_id), root.replies.load(request.db, row.reply_id))
    elif row.topic_id is not None:
        post = root.topics.wrap(str(row.topic_id), root.topics.load(request.db, row.topic_id))
    item.details = SimpleNamespace(
        reports=reports.of_review(request.db, row.id),
        object=post,
        author=users.by_id(request.db, row.author_id),
        restrictions_count=reviews.restrictions_count(request.db, row.author_id),
    )
    return item
