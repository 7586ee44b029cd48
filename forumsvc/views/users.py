"""The user endpoints."""

from ..errors import NotFound
from ..models import Role
from ..permissions import Common
from ..permissions import UserPermission as May
from ..queries import likes, replies, topic_lists, users
from ..queries.own_topics import TopicRelation
from ..queries.topic_lists import UserTopicOrder
from ..resources.users import UserItem, Users
from ..schemas.including import with_include
from ..schemas.likes import OWN_LIKES, Likeable
from ..schemas.paging import PAGED, POPULAR_USERS
from ..schemas.topics import USER_TOPICS
from ..schemas.users import ROLE_FORM
from ..services.accounts import accounts
from ..services.posts import relations
from ..web.api.api_view import api_view
from ..web.api.granting import require
from ..web.api.request import ForumRequest
from ..web.own_topics import own_list
from ..web.responses.results import Detail, Ids, Kind, Listing, Ok


@api_view(Users, "GET", Common.VIEW, schema=with_include(POPULAR_USERS))
def list_users(container: Users, request: ForumRequest) -> Listing:
    """List the popular users, or those with some ids."""
    if (ids := request.validated["ids"]) is not None:
        found = container.visible_rows(ids, users.by_ids(request.db, ids))
        return Listing(Kind.USER, "users", found)
    result = users.popular(request.db, request.validated["limit"])
    return Listing(Kind.USER, "users", result)


@api_view(UserItem, "GET", Common.VIEW, schema=with_include())
def read_user(item: UserItem, request: ForumRequest) -> Detail:
    return Detail(Kind.USER, item)


@api_view(UserItem, "PUT", May.SET_ROLE, name="role", schema=ROLE_FORM)
def set_role(item: UserItem, request: ForumRequest) -> Detail:
    role = Role(request.validated["role"])
    login = item.row.user_login
    accounts.set_role(request.db, request.actor_id_or_none, request.now, login, role)
    return Detail(Kind.USER, item.reloaded())


@api_view(UserItem, "GET", Common.VIEW, name="topics", schema=with_include(USER_TOPICS))
def list_topics(item: UserItem, request: ForumRequest) -> Listing:
    """List the topics of a user, or those with which the caller has a relation."""
    relation, unread = request.validated["relation"], request.validated["unread"]
    if relation is not None or unread:
        require(request, item, May.VIEW_RELATED, "relation" if relation else "unread")
        result = own_list(request, relation and TopicRelation(relation), unread=unread)
        return Listing(Kind.TOPIC, "topics", *result)
    order = UserTopicOrder(request.validated["order"])
    result = topic_lists.by_user(request.db, item.row.user_id, order, request.page)
    return Listing(Kind.TOPIC, "topics", *result, total=item.row.topics_count)


@api_view(UserItem, "GET", Common.VIEW, name="favorites", schema=with_include(PAGED))
def list_favorites(item: UserItem, request: ForumRequest) -> Listing:
    result = topic_lists.favorites_of(request.db, item.row.user_id, request.page)
    return Listing(Kind.TOPIC, "topics", *result, total=item.row.favorites_count)


@api_view(UserItem, "GET", Common.VIEW, name="replies", schema=with_include(PAGED))
def list_replies(item: UserItem, request: ForumRequest) -> Listing:
    result = replies.by_user(request.db, item.row.user_id, request.page)
    return Listing(Kind.REPLY_DETAIL, "replies", *result, total=item.row.replies_count)


@api_view(UserItem, "GET", Common.VIEW, name="followers", schema=with_include(PAGED))
def list_followers(item: UserItem, request: ForumRequest) -> Listing:
    result = users.followers_of(request.db, item.row.user_id, request.page)
    return Listing(Kind.USER, "followers", *result, total=item.row.followers_count)


@api_view(UserItem, "GET", Common.VIEW, name="following", schema=with_include(PAGED))
def list_following(item: UserItem, request: ForumRequest) -> Listing:
    result = users.followed_by(request.db, item.row.user_id, request.page)
    return Listing(Kind.USER, "following", *result, total=item.row.following_count)


@api_view(UserItem, "GET", May.VIEW_BLOCKED, name="blocked", schema=with_include(PAGED))
def list_blocked(item: UserItem, request: ForumRequest) -> Listing:
    result = users.blocked_by(request.db, item.row.user_id, request.page)
    return Listing(Kind.USER, "blocked", *result)


@api_view(UserItem, "GET", May.VIEW_LIKES, name="likes", schema=OWN_LIKES)
def list_likes(item: UserItem, request: ForumRequest) -> Ids:
    """List the ids of the topics or replies that the caller likes."""
    topic_id = request.validated["topic_id"]
    kind = Likeable(request.validated["obj_type"])
    find = likes.topics_of if kind == Likeable.TOPIC else likes.replies_of
    result = find(request.db, item.row.user_id, request.page, topic_id)
    if not result.rows and topic_id is not None:
        _check_topic(item, topic_id)
    return Ids([row[0] for row in result.rows], result.cursors)


def _check_topic(item: UserItem, topic_id: int) -> None:
    try:
        item.root.topics[str(topic_id)]
    except KeyError:
        raise NotFound("topic_id: there is no such topic.", "topic_id") from None


@api_view(UserItem, "POST", May.FOLLOW, name="follow")
def follow(item: UserItem, request: ForumRequest) -> Ok:
    relations.follow_user(request.db, request.actor_id, request.now, item.row.user_id)
    return Ok()


@api_view(UserItem, "POST", May.UNFOLLOW, name="unfollow")
def unfollow(item: UserItem, request: ForumRequest) -> Ok:
    relations.unfollow_user(request.db, request.actor_id, item.row.user_id)
    return Ok()


@api_view(UserItem, "POST", May.BLOCK, name="block")
def block(item: UserItem, request: ForumRequest) -> Ok:
    relations.block_user(request.db, request.actor_id, request.now, item.row.user_id)
    return Ok()


@api_view(UserItem, "POST", May.UNBLOCK, name="unblock")
def unblock(item: UserItem, request: ForumRequest) -> Ok:
    relations.unblock_user(request.db, request.actor_id, item.row.user_id)
    return Ok()
