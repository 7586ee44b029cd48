"""Presenters return exactly the described fields, and null or "" for absent values."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

from forumsvc.db.keyset_paging import Cursors
from forumsvc.models import PROFILE_TEXTS, NotificationType
from forumsvc.presenters.nodes import node
from forumsvc.presenters.notifications import notifications
from forumsvc.presenters.replies import reply, reply_detail
from forumsvc.presenters.site import Site
from forumsvc.presenters.topics import topic, topic_detail
from forumsvc.presenters.users import user, user_detail
from forumsvc.queries.notifications import NotificationPage
from forumsvc.settings import LEVELS
from tests.cases import each
from tests.serializers import find_errors

NOW = datetime(2026, 11, 21, 1, 33, tzinfo=UTC)
SITE = Site("The forum", "https://forum.example.org", LEVELS, timedelta(minutes=60), NOW)
AUTHOR = {"user_id": 1, "user_login": "alice", "user_name": "", "user_avatar": ""}
TEXTS = tuple(text.name for text in PROFILE_TEXTS)
COUNTS = ("topics", "replies", "following", "followers", "favorites")


def row(**columns: Any) -> Any:
    """Return a row."""
    return SimpleNamespace(**columns)


def person(**columns: Any) -> Any:
    """Return the row of a user's details."""
    return row(
        **{
            **AUTHOR,
            **dict.fromkeys(TEXTS, ""),
            **{f"{name}_count": 0 for name in COUNTS},
            "role": "member",
            "state": "active",
            **dict.fromkeys(("blocked_at", "blocked_until", "blocked_reason")),
            "email": "alice@example.org",
            "email_confirmed_at": NOW,
            "unconfirmed_email": None,
            "awaits_approval": False,
            "created_at": NOW - timedelta(days=30),
            **columns,
        }
    )


def a_topic(**columns: Any) -> Any:
    """Return the row of a topic's details."""
    absent = ("excellent_at", "deleted_at", "closed_at", "banned_at", "replied_at")
    return row(
        **{
            **AUTHOR,
            **dict.fromkeys((*absent, "last_reply_user_id", "last_reply_user_login")),
            "id": 7,
            "title": "T",
            "node_id": 3,
            "node_name": "General",
            "replies_count": 0,
            "likes_count": 0,
            "hits": 5,
            "body": "B",
            "body_html": "<p>B</p>",
            "created_at": NOW,
            "updated_at": NOW,
            **columns,
        }
    )


def a_reply(**columns: Any) -> Any:
    """Return the row of a reply's details."""
    return row(
        **{
            **AUTHOR,
            "id": 9,
            "topic_id": 7,
            "topic_title": "T",
            "body": "B",
            "body_html": "<p>B</p>",
            "deleted_at": None,
            "likes_count": 0,
            "created_at": NOW,
            "updated_at": NOW,
            **columns,
        }
    )


NODE = row(
    id=3,
    name="General",
    summary="",
    section_id=None,
    section_name=None,
    topics_count=1,
    sort=0,
    updated_at=NOW,
)


@each(
    ("shown", "serializer"),
    [
        (user(SITE, person()), "UserSerializer"),
        (user_detail(SITE, person(), with_email=True), "UserDetailSerializer"),
        (topic(SITE, a_topic()), "TopicSerializer"),
        (topic(SITE, a_topic(replied_at=NOW, last_reply_user_id=1)), "TopicSerializer"),
        (topic_detail(SITE, a_topic(), pending_hits=0), "TopicDetailSerializer"),
        (topic_detail(SITE, a_topic(closed_at=NOW), pending_hits=0), "TopicDetailSerializer"),
        (reply(SITE, a_reply()), "ReplySerializer"),
        (reply_detail(SITE, a_reply()), "ReplyDetailSerializer"),
        (node(NODE), "NodeSerializer"),
    ],
)
def test_a_presenter_returns_exactly_the_described_fields(
    shown: dict[str, Any], serializer: str
) -> None:
    assert find_errors(shown, serializer) == []


def test_times_have_milliseconds_and_a_z() -> None:
    moment = datetime(2026, 11, 21, 1, 33, 5, 70_000, tzinfo=UTC)
    assert topic(SITE, a_topic(created_at=moment))["created_at"] == "2026-11-21T01:33:05.070Z"
    assert topic(SITE, a_topic())["created_at"] == "2026-11-21T01:33:00.000Z"


def test_the_name_is_the_login_until_another_is_given() -> None:
    assert user(SITE, person())["name"] == "alice"
    assert user(SITE, person(user_name="Alice L."))["name"] == "Alice L."


def test_photos_have_absolute_urls() -> None:
    assert user(SITE, person())["avatar_url"] == "https://forum.example.org/avatars/alice.svg"
    shown = user(SITE, person(user_avatar="ab/ab.png"))
    assert shown["avatar_url"] == "https://forum.example.org/photos/ab/ab.png"


@each(
    ("columns", "with_email", "email"),
    [
        ({}, True, "alice@example.org"),
        ({}, False, ""),
        ({"email": None}, True, ""),
        ({"state": "deleted"}, True, ""),
        ({"state": "blocked"}, True, "alice@example.org"),
    ],
)
def test_an_email_is_shown_only_with_permission(
    columns: dict[str, Any], with_email: bool, email: str
) -> None:
    assert user_detail(SITE, person(**columns), with_email=with_email)["email"] == email


@each(
    ("columns", "level"),
    [
        *(({"role": role}, role) for role in ("member", "vip", "maintainer", "admin")),
        *(({"role": "admin", "state": state}, state) for state in ("blocked", "deleted")),
        ({"created_at": NOW}, "newbie"),
        ({"created_at": NOW, "role": "vip"}, "vip"),
        ({"created_at": NOW, "state": "blocked"}, "blocked"),
        ({"created_at": NOW - timedelta(minutes=60)}, "member"),
    ],
)
def test_a_level_and_its_name(columns: dict[str, Any], level: str) -> None:
    shown = user_detail(SITE, person(**columns), with_email=False)
    assert (shown["level"], shown["level_name"]) == (level, LEVELS[level])


def test_views_that_are_not_written_yet_are_added() -> None:
    assert topic_detail(SITE, a_topic(), pending_hits=2)["hits"] == 7


def test_a_deleted_reply_in_a_list_has_no_text() -> None:
    assert reply(SITE, a_reply(deleted_at=NOW))["body_html"] == ""
    assert reply(SITE, a_reply(deleted_at=NOW))["deleted"] is True


TOLD = NotificationPage(
    notifications=[],
    topics={7: a_topic()},
    replies={9: a_reply()},
    nodes={3: NODE},
    cursors=Cursors(None, None),
)
KINDS: dict[str, tuple[dict[str, Any], set[str]]] = {
    # type: (what it points to, which of mention, topic, reply and node are set)
    "Topic": ({"topic_id": 7}, {"topic"}),
    "TopicReply": ({"topic_id": 7, "reply_id": 9}, {"topic", "reply"}),
    "Mention": ({"topic_id": 7, "mention_type": "Topic"}, {"mention", "topic"}),
    "Mention in a reply": (
        {"topic_id": 7, "reply_id": 9, "mention_type": "Reply"},
        {"mention", "topic"},
    ),
    "NodeChanged": ({"topic_id": 7, "node_id": 3}, {"topic", "node"}),
    "Follow": ({}, set()),
    "Moderation": ({"topic_id": 7}, {"topic"}),
}


def test_every_type_of_notification_is_among_the_kinds() -> None:
    assert {kind.split()[0] for kind in KINDS} == set(NotificationType)


@each("kind", KINDS)
def test_a_notification_shows_what_its_type_refers_to(kind: str) -> None:
    points_to, is_set = KINDS[kind]
    nothing = dict.fromkeys(
        ("topic_id", "reply_id", "node_id", "mention_type", "details", "read_at")
    )
    columns = {**nothing, **points_to, "created_at": NOW, "updated_at": NOW}
    note = row(**AUTHOR, id=1, type=kind.split()[0], **columns)
    told = replace(TOLD, notifications=[note])
    (shown,) = notifications(SITE, told, lambda found: topic(SITE, found))
    assert find_errors(shown, "NotificationSerializer") == []
    objects = ("mention", "topic", "reply", "node")
    assert {name for name in objects if shown[name] is not None} == is_set
    if "mention" in is_set:
        kept = "ReplySerializer" if shown["mention_type"] == "Reply" else "TopicSerializer"
        assert find_errors(shown["mention"], kept) == []
