"""The forum of the access matrix: a user of every role, a topic and a reply in every state.

Rows are written directly, with ids and tokens known beforehand, in one transaction of a few
statements. The ids are far above those that the database gives out, so nothing new collides.
"""

from datetime import timedelta
from typing import Any

from sqlalchemy import insert, update

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.models import (
    AccessBlock,
    Draft,
    Event,
    Favorite,
    HeldPost,
    Node,
    Notification,
    OAuthClient,
    OAuthToken,
    Photo,
    PostVersion,
    Reply,
    ReplyLike,
    ReplyWords,
    Review,
    Section,
    Topic,
    TopicLike,
    TopicWords,
    User,
    UserBlock,
    UserFollow,
    UserState,
    Webhook,
    WebhookDelivery,
)
from forumsvc.search.tokens import TOKENS_VERSION
from forumsvc.sessions.token_hash import hash_token
from tests import databases
from tests.functional.rows import complete

_NAMES = (
    # users
    *("author", "member", "newbie", "blocked", "maintainer", "admin"),
    *("bystander", "fan", "nuisance", "gone"),
    # topics, all the author's
    *("open", "answered", "closed_by_author", "closed_by_maintainer", "banned", "deleted"),
    # replies, the author's where nobody else is named
    *("r_open", "r_answer", "r_closed_by_author", "r_closed_by_maintainer"),
    *("r_banned", "r_banned_bystander", "r_deleted", "r_tombstone"),
    # the rest
    *("node", "note", "photo", "webhook", "delivery", "happened"),
    *("review", "review_of_maintainer", "held", "access_block", "section", "draft"),
    *("version", "hidden_version"),
)
IDS = {name: 1_000_001 + place for place, name in enumerate(_NAMES)}
EMAILS = {name: f"{name}@example.org" for name in ("author", "bystander", "gone")}
CALLERS: dict[str, tuple[str, str]] = {
    # role: whose token, and its scopes
    "read": ("author", "read"),
    "write": ("author", "write"),
    "client": ("", "read write"),
    "expired": ("author", "read write"),
    "revoked": ("author", "read write"),
    "blocked_author": ("author", "read write"),
    "admin_scope": ("admin", "admin"),
    "moderate_scope": ("maintainer", "read moderate"),
    **{
        name: (name, "read write")
        for name in ("newbie", "member", "author", "blocked", "maintainer", "admin")
    },
}
"""The callers with a token that is, or was, one."""


def token_of(role: str) -> str | None:
    """Return the access token of a caller with this role."""
    return None if role == "nobody" else f"token-of-{role}"


class PermissionFixture:
    """That forum in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._built_for: str | None = None

    def prepare(self, role: str) -> None:
        """Restore the initial state of the forum, for a caller of this role."""
        state = UserState.BLOCKED if role == "blocked_author" else UserState.ACTIVE
        if self._built_for != state:
            databases.delete_all_rows(self._database)
            self._build(state)
            self._built_for = state

    def spoil(self) -> None:
        """Record a change, so that the state is restored for the next caller."""
        self._built_for = None

    def _build(self, author_state: str) -> None:
        now = clock.now()
        with self._database.session.begin() as db:
            for model, rows in _people(author_state, now), *_posts(now), *_relations(now):
                db.execute(insert(model), [complete(model, row) for row in rows])
            db.execute(update(Topic).values(last_active_at=now))


def _people(author_state: str, now: Any) -> tuple[Any, list[dict[str, Any]]]:
    month_ago = now - timedelta(days=30)
    special: dict[str, dict[str, Any]] = {
        "author": {
            "state": author_state,
            "topics_count": 4,
            "replies_count": 3,
            "following_count": 1,
            "followers_count": 1,
            "favorites_count": 1,
            "unread_count": 1,
        },
        "newbie": {"created_at": now},
        "blocked": {"state": UserState.BLOCKED},
        "maintainer": {"role": "maintainer"},
        "admin": {"role": "admin"},
        "bystander": {"replies_count": 1, "email_public": True, "followers_count": 1},
        "fan": {"following_count": 1},
        "gone": {"state": UserState.DELETED, "email_public": True},
    }
    common = {
        "role": "member",
        "state": UserState.ACTIVE,
        "email": None,
        "email_confirmed_at": month_ago,
        "email_public": False,
        "topics_count": 0,
        "replies_count": 0,
        "following_count": 0,
        "followers_count": 0,
        "favorites_count": 0,
        "unread_count": 0,
        "created_at": month_ago,
        "updated_at": month_ago,
    }
    names = _NAMES[: _NAMES.index("gone") + 1]
    return User, [
        {
            **common,
            "id": IDS[name],
            "login": name,
            "email": EMAILS.get(name),
            "email_key": EMAILS.get(name),
            **special.get(name, {}),
        }
        for name in names
    ]


def _posts(now: Any) -> list[tuple[Any, list[dict[str, Any]]]]:
    node = {"id": IDS["node"], "name": "General", "topics_count": 4}

    def topic(name: str, **states: Any) -> dict[str, Any]:
        nothing = dict.fromkeys(("closed_at", "closed_by_id", "banned_at", "deleted_at"))
        return {
            **nothing,
            "id": IDS[name],
            "user_id": IDS["author"],
            "node_id": IDS["node"],
            "title": name,
            "replies_count": 1,
            "others_replies_count": 0,
            "likes_count": 0,
            "created_at": now,
            **states,
        }

    def reply(name: str, topic: str, **states: Any) -> dict[str, Any]:
        return {
            "id": IDS[name],
            "user_id": IDS["author"],
            "topic_id": IDS[topic],
            "deleted_at": None,
            "likes_count": 0,
            "created_at": now,
            **states,
        }

    topics = [
        topic("open", likes_count=1),
        topic("answered", others_replies_count=1, likes_count=1),
        topic("closed_by_author", closed_at=now, closed_by_id=IDS["author"]),
        topic("closed_by_maintainer", closed_at=now, closed_by_id=IDS["maintainer"]),
        topic("banned", banned_at=now, replies_count=2, others_replies_count=1),
        topic("deleted", deleted_at=now),
    ]
    replies = [
        reply("r_open", "open", likes_count=1),
        reply("r_answer", "answered", user_id=IDS["bystander"], likes_count=1),
        reply("r_closed_by_author", "closed_by_author"),
        reply("r_closed_by_maintainer", "closed_by_maintainer"),
        reply("r_banned", "banned"),
        reply("r_banned_bystander", "banned", user_id=IDS["bystander"]),
        reply("r_deleted", "deleted"),
        reply("r_tombstone", "open", deleted_at=now),
    ]
    # On PostgreSQL this is a tsvector.
    found = {"version": TOKENS_VERSION, "words": "found"}
    return [
        (Node, [node]),
        (Topic, topics),
        (Reply, replies),
        (TopicWords, [{"id": row["id"], **found} for row in topics]),
        (ReplyWords, [{"id": row["id"], **found} for row in replies]),
        (PostVersion, _versions("topic_id", topics, now) + _versions("reply_id", replies, now)),
    ]


def _versions(column: str, posts: list[dict[str, Any]], now: Any) -> list[dict[str, Any]]:
    """Return a former text of each post, and a hidden one. Their numbers are in IDS."""
    nothing = dict.fromkeys(("topic_id", "reply_id", "hidden_at"))
    return [
        {
            **nothing,
            column: post["id"],
            "number": IDS[name],
            "user_id": post["user_id"],
            "editor_id": post["user_id"],
            "replaced_at": now,
            "hidden_at": now if name == "hidden_version" else None,
        }
        for post in posts
        for name in ("version", "hidden_version")
    ]


def _review(now: Any, name: str, key: str, user: str, **columns: int) -> dict[str, Any]:
    """Return an open review of what this user wrote, or of the user."""
    about = {"topic_id": None, **columns, "kind": "reported", "object_key": key, "opened_at": now}
    return {"id": IDS[name], "user_id": IDS[user], **about}


def _held(now: Any) -> dict[str, Any]:
    """Return a reply of the author that waits for a moderator."""
    texts = {"body": "A held text", "reason": "first_post", "kind": "reply", "state": "waiting"}
    ids = {"id": IDS["held"], "user_id": IDS["author"], "topic_id": IDS["open"]}
    return {**ids, **texts, "created_at": now}


def _relations(now: Any) -> list[tuple[Any, list[dict[str, Any]]]]:
    def related(model: Any, user: str, column: str, target: str) -> tuple[Any, list[Any]]:
        return model, [{"user_id": IDS[user], column: IDS[target]}]

    note = {"id": IDS["note"], "user_id": IDS["author"], "actor_id": IDS["fan"], "type": "Follow"}
    photo = {
        "id": IDS["photo"],
        "user_id": IDS["author"],
        "name": f"ab/{'ab' * 32}.png",
        "media_type": "image/png",
        "storage": "local",
        "width": 1,
        "height": 1,
        "size": 100,
        "digest": "ab" * 32,
    }
    client = {
        "id": 1_000_001,
        "client_id": "matrix",
        "name": "matrix",
        "grants": "",
        "scopes": "read write",
    }
    hour = timedelta(hours=1)
    tokens = [
        {
            "client_id": client["id"],
            "user_id": IDS.get(owner),
            "family": role,
            "scope": scope,
            "access_hash": hash_token(token_of(role) or ""),
            "access_expires_at": now - hour if role == "expired" else now + hour,
            "revoked_at": now if role == "revoked" else None,
        }
        for role, (owner, scope) in CALLERS.items()
    ]
    return [
        related(UserFollow, "fan", "target_id", "author"),
        related(UserFollow, "author", "target_id", "bystander"),
        related(UserBlock, "author", "target_id", "nuisance"),
        related(Favorite, "author", "topic_id", "open"),
        related(TopicLike, "fan", "topic_id", "open"),
        related(ReplyLike, "fan", "reply_id", "r_open"),
        related(TopicLike, "author", "topic_id", "answered"),
        related(ReplyLike, "author", "reply_id", "r_answer"),
        (Notification, [note]),
        (Photo, [photo]),
        (
            Review,
            [
                _review(
                    now, "review", f"topic:{IDS['answered']}", "author", topic_id=IDS["answered"]
                ),
                _review(now, "review_of_maintainer", f"user:{IDS['maintainer']}", "maintainer"),
            ],
        ),
        (HeldPost, [_held(now)]),
        (Webhook, [{"id": IDS["webhook"], "url": "https://192.0.2.1/", "events": ["*"]}]),
        (WebhookDelivery, [{"id": IDS["delivery"], "webhook_id": IDS["webhook"], "due_at": now}]),
        (AccessBlock, [_access_block(now)]),
        (Section, [{"id": IDS["section"], "name": "Empty"}]),
        (Draft, [{"user_id": IDS["author"], "key": str(IDS["draft"]), "body": "A new text"}]),
        # Below the horizon, whatever runs on the server.
        (Event, [{"id": IDS["happened"], "xid": 0, "type": "user.updated"}]),
        (OAuthClient, [client]),
        (OAuthToken, tokens),
    ]


def _access_block(now: Any) -> dict[str, Any]:
    return {
        "id": IDS["access_block"],
        "kind": "email_domain",
        "value": "spam.example",
        "severity": "sign_up",
        "reason": "Spam",
        "created_at": now,
    }
