"""The former texts of a topic or reply, each with what the next edit has changed."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from pyramid.response import Response

from ...models import Reply, Topic
from ...permissions import VersionPermission as May
from ...queries import post_versions
from ...queries.post_versions import Post, PostVersionRow
from ...queries.rows import ReplyListRow, TopicRow
from ...resources.base import Item
from ...resources.post_versions import PostVersionItem, PostVersions
from ...resources.replies import listed_reply
from ...resources.topics import TopicItem
from ...security.policy import decide
from ...services.posts import post_versions as post_version_service
from ...text.text_rules import with_lf
from ...web.api.request import ForumRequest
from ..flash_messages import flash_message, with_message
from ..lines import Moment, Person
from ..page import page
from ..page_tree import (
    for_users,
    reply_version_page,
    reply_versions_page,
    topic_version_page,
    topic_versions_page,
)
from ..paging import cursor_links, numbered_or_cursor, page_request
from ..paths import post_path, see_other, topic_path, user_path
from ..post_html import MAX_PAGE_TEXT
from ..word_diff import Budget, Part, difference, shortened

_ROWS = 10


@dataclass(frozen=True, slots=True)
class Version:
    """A former text beside what came next.

    title, text: None where the page only links to it, title also of a reply.
    """

    number: int
    editor: Person
    moment: Moment
    is_hidden: bool
    path: str
    title: Sequence[Part] | None
    text: Sequence[Part] | None


@dataclass(frozen=True, slots=True)
class Edited:
    """When a post was edited. path: of its former texts, None where the caller sees none."""

    moment: Moment
    path: str | None


def edited_posts(
    request: ForumRequest, topic: TopicItem, replies: Sequence[ReplyListRow]
) -> Callable[[TopicRow | ReplyListRow], Edited | None]:
    """Return what says of a topic, or of one of these replies to it, when it was edited."""
    row: Any = topic.row
    posts: dict[Post, tuple[Item, Any]] = {Post(Topic, row.id): (topic, row)}
    for reply in replies:
        if reply.deleted_at is None:
            posts[Post(Reply, reply.id)] = (listed_reply(topic, reply), reply)
    posts = {post: found for post, found in posts.items() if found[1].edited_at is not None}
    readable = [post for post, (item, _) in posts.items() if _may_read(request, item)]
    with_versions = _with_versions(request, topic, readable)
    edited = {
        id(found): Edited(
            Moment.of(request, found.edited_at),
            versions_path(request, post) if post in with_versions else None,
        )
        for post, (_, found) in posts.items()
    }
    return lambda found: edited.get(id(found))


def _may_read(request: ForumRequest, item: Item) -> bool:
    return bool(decide(request.caller, item, May.VIEW))


def _with_versions(
    request: ForumRequest, topic: TopicItem, posts: Sequence[Post]
) -> Collection[Post]:
    ids = {model: [post.id for post in posts if post.model is model] for model in (Topic, Reply)}
    with_hidden = bool(decide(request.caller, topic, May.HIDE))
    return post_versions.posts_with(request.db, ids[Topic], ids[Reply], with_hidden=with_hidden)


def versions_path(request: ForumRequest, post: Post) -> str:
    """Return the path of the former texts of a topic or reply."""
    kind = "topics" if post.model is Topic else "replies"
    return f"{request.script_name}/{kind}/{post.id}/versions"


@page(
    "topic_versions",
    r"/topics/{topic_id:\d+}/versions",
    topic_versions_page,
    May.VIEW,
    "versions",
    schema=numbered_or_cursor,
)
@page(
    "reply_versions",
    r"/replies/{reply_id:\d+}/versions",
    reply_versions_page,
    May.VIEW,
    "versions",
    schema=numbered_or_cursor,
)
def show_versions(versions: PostVersions, request: ForumRequest) -> dict[str, Any]:
    """Return the values of the page, the newest former text first."""
    part = page_request(request, _ROWS)
    with_hidden = versions.with_hidden
    result = post_versions.of_post(request.db, versions.post, part, with_hidden=with_hidden)
    newer: Any = versions.post_row
    if result.rows and result.cursors.before is not None:
        newer = _next(versions, request, result.rows[0])
    shown, size, budget = [], 0, Budget()
    for row in result.rows:
        size += len(row.body) + len(newer.body)
        fits = size <= MAX_PAGE_TEXT
        shown.append(_version(versions, request, row, newer if fits else None, budget))
        newer = row
    return {**_values(versions, request, shown), **cursor_links(request, result.cursors)}


@page(
    "topic_version",
    r"/topics/{topic_id:\d+}/versions/{number:\d+}",
    topic_version_page,
    May.VIEW,
    "versions",
)
@page(
    "reply_version",
    r"/replies/{reply_id:\d+}/versions/{number:\d+}",
    reply_version_page,
    May.VIEW,
    "versions",
)
def show_version(item: PostVersionItem, request: ForumRequest) -> dict[str, Any]:
    """Return the values of the page of one former text, which shows all of it."""
    versions, row = item.versions, item.row
    newer = _next(versions, request, row)
    shown = _version(versions, request, row, newer, Budget(), is_whole=True)
    return {**_values(versions, request, [shown]), "is_one": True}


def _next(versions: PostVersions, request: ForumRequest, row: PostVersionRow) -> Any:
    """Return the text that came after a former one: the next that the caller sees."""
    found = post_versions.following(
        request.db, versions.post, row.number, with_hidden=versions.with_hidden
    )
    return versions.post_row if found is None else found


def _values(
    versions: PostVersions, request: ForumRequest, shown: Sequence[Version]
) -> dict[str, Any]:
    row, is_topic = versions.post_row, versions.post.model is Topic
    return {
        "versions": shown,
        "is_one": False,
        "newer": None,
        "older": None,
        "is_topic": is_topic,
        "title": row.title if is_topic else row.topic_title,
        "topic_path": topic_path(request, versions.topic_id),
        "post_path": post_path(request, versions.topic_id, None if is_topic else row.id),
        "path": versions_path(request, versions.post),
        "may_hide": versions.with_hidden,
        "flash_message": flash_message(request),
    }


def _version(
    versions: PostVersions,
    request: ForumRequest,
    row: PostVersionRow,
    newer: Any,
    budget: Budget,
    *,
    is_whole: bool = False,
) -> Version:
    """newer: the text that came next, None: the page only links to this one."""
    login = row.editor_login
    avatar = request.site.avatar_url(login, row.editor_avatar)
    editor = Person(login, row.editor_name or login, user_path(request, login), avatar)
    path = f"{versions_path(request, versions.post)}/{row.number}"
    title: Sequence[Part] | None = None
    text: Sequence[Part] | None = None
    if newer is not None:
        text = difference(with_lf(row.body), with_lf(newer.body), budget)
        text = text if is_whole else shortened(text)
        title = None if row.title is None else difference(row.title, newer.title, budget)
    moment = Moment.of(request, row.created_at)
    return Version(row.number, editor, moment, row.hidden_at is not None, path, title, text)


@page(
    "topic_version_hide",
    r"/topics/{topic_id:\d+}/versions/{number:\d+}/hide",
    for_users(topic_version_page),
    May.HIDE,
    method="POST",
)
@page(
    "reply_version_hide",
    r"/replies/{reply_id:\d+}/versions/{number:\d+}/hide",
    for_users(reply_version_page),
    May.HIDE,
    method="POST",
)
def hide(item: PostVersionItem, request: ForumRequest) -> Response:
    """Hide a former text from all but moderators."""
    versions, now = item.versions, request.now
    post, topic_id = versions.post, versions.topic_id
    post_version_service.hide(request.db, request.actor_id, now, post, topic_id, item.row)
    return with_message(request, "version-hidden", see_other(versions_path(request, post)))
