"""The like endpoints."""

from ..errors import Forbidden, NotFound
from ..permissions import LikePermission, ReplyPermission, TopicPermission
from ..resources.likes import Likes
from ..schemas.likes import LIKE_FORM, Likeable
from ..security.denial import denial_message
from ..security.policy import decide
from ..services.posts import relations
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.results import Count

_WHERE = {
    Likeable.TOPIC: ("topics", TopicPermission.LIKE),
    Likeable.REPLY: ("replies", ReplyPermission.LIKE),
}


def _liked(likes: Likes, request: ForumRequest) -> tuple[Likeable, int]:
    """Return the resource that the request names. Raises NotFound, Forbidden."""
    kind = Likeable(request.validated["obj_type"])
    liked_id = request.validated["obj_id"]
    container, permission = _WHERE[kind]
    try:
        item = likes.root[container][str(liked_id)]
    except KeyError:
        raise NotFound(f"obj_id: there is no such {kind}.", "obj_id") from None
    caller = request.caller
    assert caller is not None, "the ACL grants this to users only"  # noqa: S101
    if not decide(caller, item, permission):
        otherwise = f"You may not like this {kind}."
        raise Forbidden(denial_message(caller, item, permission, otherwise))
    return kind, liked_id


@api_view(Likes, "POST", LikePermission.LIKE, schema=LIKE_FORM)
def like(likes: Likes, request: ForumRequest) -> Count:
    """Like a topic or a reply."""
    kind, liked_id = _liked(likes, request)
    add = relations.like_topic if kind == Likeable.TOPIC else relations.like_reply
    return Count(add(request.db, request.actor_id, request.now, liked_id), (kind, liked_id))


@api_view(Likes, "DELETE", LikePermission.LIKE, schema=LIKE_FORM)
def unlike(likes: Likes, request: ForumRequest) -> Count:
    """Unlike a topic or a reply."""
    kind, liked_id = _liked(likes, request)
    take = relations.unlike_topic if kind == Likeable.TOPIC else relations.unlike_reply
    return Count(take(request.db, request.actor_id, request.now, liked_id), (kind, liked_id))
