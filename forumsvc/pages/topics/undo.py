"""What an author has just deleted, and the button that takes that back for an hour.

A signed token in the address says who deleted it and when, so only that deletion can be taken
back, not a later one by a moderator.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, NamedTuple

from pyramid.authorization import DENY_ALL, Allow
from pyramid.response import Response

from ...errors import NotFound
from ...markup.text_content import text_content
from ...permissions import ReplyPermission, TopicPermission
from ...queries import replies, topics
from ...resources.base import Acl, Resource
from ...resources.root import Root
from ...security import principals
from ...services.accounts import signed_tokens
from ...services.moderation.reviews import is_decided_since
from ...services.moderation.sweeps import is_swept
from ...services.posts import replies as reply_service
from ...services.posts import topics as topic_service
from ...text.ids import parse_id
from ...web.api.request import ForumRequest
from ..forms import Values
from ..page import page, page_form
from ..page_tree import Factory, for_users, make_page_tree
from ..paths import post_path, see_other, with_query
from ..previews import beginning

TTL = timedelta(hours=1)


class _Kind(NamedTuple):
    """find: the query of a row by its id; restore: the service; permission: to delete it."""

    find: Callable[..., Any]
    restore: Callable[..., object]
    permission: str


_KINDS = {
    "topic": _Kind(topics.by_id, topic_service.restore, TopicPermission.DESTROY),
    "reply": _Kind(replies.by_id, reply_service.restore, ReplyPermission.DESTROY),
}


class OwnDeletedPost(Resource):
    """A topic or reply that its author has deleted within `TTL`. kind: "topic" or "reply"."""

    def __init__(self, root: Root, kind: str, row: Any, token: str) -> None:
        super().__init__(root, str(row.id))
        self.kind, self.row, self.token = kind, row, token

    def __acl__(self) -> Acl:
        """The author may take it back, but no banned topic, and no reply where none is taken."""
        row = self.row
        ends = [row.banned_at] if self.kind == "topic" else []
        if self.kind == "reply":
            ends = [row.topic_banned_at, row.topic_closed_at, row.topic_deleted_at]
        if any(ends):
            return [DENY_ALL]
        author = principals.active(self.row.user_id)
        return [(Allow, author, _KINDS[self.kind].permission), DENY_ALL]


def path_after_deletion(request: ForumRequest, kind: str, row: Any) -> str:
    """Return the path of the page that offers the author to take it back.

    kind: as above; row: of the post, before the deletion, or of one that was deleted already.
    """
    secret, purpose = request.settings["session.secret"], _purpose(kind, row.id)
    deleted_at = row.deleted_at or request.now
    expires_at, facts = deleted_at + TTL, [deleted_at.isoformat()]
    token = signed_tokens.create(secret, purpose, request.actor_id, expires_at, facts)
    route = request.route_path(f"{kind}_deleted", **{f"{kind}_id": row.id})
    return with_query(route, undo=token)


def _context(kind: str) -> Factory:
    def find(request: ForumRequest) -> OwnDeletedPost:
        post_id = parse_id(request.matchdict[f"{kind}_id"])
        if post_id is None:
            raise NotFound("There is nothing here.")
        token = str(request.parameters.get("undo") or "")
        root = make_page_tree(request)
        db = request.db if request.is_write else request.executor

        def find_deleted(user_id: int) -> Any:
            row = _KINDS[kind].find(db, post_id, lock=request.is_write)
            if row is None or row.user_id != user_id or row.deleted_at is None:
                return None
            connection = request.db if request.is_write else request.read_connection
            is_decided = is_swept(connection, user_id, row.deleted_at) or is_decided_since(
                connection, kind, post_id, row.deleted_at
            )
            return None if is_decided else row

        secret, purpose = request.settings["session.secret"], _purpose(kind, post_id)
        row = signed_tokens.verify(secret, purpose, token, request.now, find_deleted, _time_of)
        if row is None:
            _go_to_what_is_there(request, kind, _KINDS[kind].find(db, post_id))
            raise NotFound("There is nothing here.")
        return OwnDeletedPost(root, kind, row, token)

    return for_users(find)


def _go_to_what_is_there(request: ForumRequest, kind: str, row: Any) -> None:
    """Raise a redirect to an own post that is not deleted: its deletion was taken back already."""
    caller = request.caller
    is_own = row is not None and caller is not None and caller.user_id == row.user_id
    if is_own and row.deleted_at is None:
        raise see_other(request.route_path(kind, **{f"{kind}_id": row.id}))


def _purpose(kind: str, post_id: int) -> str:
    return f"undo deletion of {kind} {post_id}"


def _time_of(row: Any) -> list[str]:
    return [row.deleted_at.isoformat()]


@page(
    "topic_deleted",
    r"/topics/{topic_id:\d+}/deleted",
    _context("topic"),
    TopicPermission.DESTROY,
    "undo",
)
@page(
    "reply_deleted",
    r"/replies/{reply_id:\d+}/deleted",
    _context("reply"),
    ReplyPermission.DESTROY,
    "undo",
)
def show(deleted: OwnDeletedPost, request: ForumRequest) -> Values:
    """Return the values of the page."""
    row = deleted.row
    is_topic = deleted.kind == "topic"
    return {
        "kind": deleted.kind,
        "title": row.title if is_topic else row.topic_title,
        "excerpt": beginning(text_content(row.body_html)),
        "on": request.route_path("topics") if is_topic else post_path(request, row.topic_id, None),
    }


@page_form(show)
def take_back(deleted: OwnDeletedPost, request: ForumRequest) -> Response:
    """Restore the post."""
    row = deleted.row
    _KINDS[deleted.kind].restore(request.db, request.actor_id, request.now, row)
    if deleted.kind == "topic":
        return see_other(post_path(request, row.id, None))
    return see_other(post_path(request, row.topic_id, row.id))
