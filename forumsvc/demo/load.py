"""Fills a database with the demo community, through the services: every rule of the forum holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from .. import clock
from ..cache import invalidation
from ..cache.invalidation import update_without_invalidation
from ..db.engine import Database
from ..errors import Conflict
from ..markup import Renderer
from ..models import Base, Node, Notification, ReportCategory, Role, Topic, User, UserState
from ..models.states import TOPIC_STATES
from ..queries import replies as reply_queries
from ..queries import topics as topic_queries
from ..search.normal_form import name_key
from ..services import events
from ..services.moderation import reports
from ..services.moderation.reports import Reporter, Target
from ..services.notifications import inbox, mail_choices
from ..services.posts import nodes, relations, replies, sections, topics
from ..services.posts.authoring import Authoring
from ..services.posts.rules import Rules
from ..services.posts.topics import TopicChanges, TopicContent
from ..services.search import reindexing
from .posts import LANGUAGES, Post, community

DEMO_LOGIN = "demo"
"""The login of the first user, an ordinary member."""

ADMIN_LOGIN = "admin"
"""The login of the second user."""

_UNREAD = timedelta(days=4)
"""Notifications that are older have been read."""

_COUNTED = (
    *("sections", "nodes", "users", "topics", "replies", "topic_likes", "reply_likes"),
    *("topic_follows", "favorites", "user_follows", "user_blocks", "notifications", "reports"),
)


def load(
    database: Database,
    *,
    renderer: Renderer,
    language: str = LANGUAGES[0],
    user_url: str = "/{login}",
    password_hash: str | None = None,
) -> Mapping[str, int]:
    """Fill the database with the demo community; return how many rows it has of each table.

    It ends at this moment, and is always the same otherwise. Existing rows stay; nodes and sections
    of the same names are shared. It is one transaction; then the posts are indexed for the search.

    language: one of `LANGUAGES`; user_url: the template of a mention's link; password_hash: of
    every member, None if nobody may log in.
    Raises Conflict if a login is taken.
    """
    node_rows, members, posts = community(language)
    authoring = Authoring(renderer, user_url, 20, Rules(), inline_recipients=len(members))
    now = clock.now().replace(microsecond=0)
    with database.session.begin() as db:
        events.record_nothing(db)
        before = _count_rows(db)
        reindexing.mark_pending(db)
        loading = _Loading(db, authoring, now)
        loading.add_members(members, password_hash)
        loading.add_nodes(node_rows)
        for post, written in [(post, loading.write_and_move(post)) for post in posts]:
            loading.moderate(post, written)
        loading.finish()
        counts = {name: many - before[name] for name, many in _count_rows(db).items()}
        for version in (invalidation.TOPIC_LISTS, invalidation.DISPLAY_NAMES):
            invalidation.invalidate(db, version)
    reindexing.reindex(database)
    return counts


def _count_rows(db: Session) -> dict[str, int]:
    tables = (Base.metadata.tables[name] for name in _COUNTED)
    return {it.name: db.scalar(select(func.count()).select_from(it)) or 0 for it in tables}


@dataclass(frozen=True)
class _Written:
    """A post in the database. at: when it was written."""

    id: int
    topic_id: int
    at: datetime


class _Loading:
    """Writes a community that ends at the moment `now`."""

    def __init__(self, db: Session, authoring: Authoring, now: datetime) -> None:
        self._db = db
        self._authoring = authoring
        self._now = now
        self._users: dict[str, int] = {}
        self._joined: dict[str, datetime] = {}
        self._blocked: set[str] = set()
        self._mail: dict[str, dict[str, Any]] = {}
        self._moderator = 0
        self._nodes: dict[str, int] = {}
        self._topics: dict[tuple[str, int], int] = {}

    def add_members(self, members: list[dict[str, Any]], password_hash: str | None) -> None:
        """Add the members, and let them follow and block each other as soon as both are there."""
        logins = [member["login"] for member in members]
        if taken := self._db.scalar(select(User.login).where(User.login_key.in_(logins))):
            raise Conflict(f"There is a user {taken!r} already, so there is a demo community.")
        self._joined = {it["login"]: self._now - timedelta(days=it["joined"]) for it in members}
        self._blocked = {it["login"] for it in members if "state" in it}
        # Chosen at the end: nobody gets an email about what was written long ago.
        self._mail = {
            it["login"]: {"locale": it.get("locale"), **mail_choices.columns(it["mail"], self._now)}
            for it in members
            if "mail" in it
        }
        relatives = [(it["login"], it.pop("follows", []), it.pop("blocks", [])) for it in members]
        rows = [_user_row(it, self._joined[it["login"]], password_hash) for it in members]
        self._db.execute(insert(User), rows)
        query = select(User.login, User.id).where(User.login_key.in_(logins))
        self._users = {row.login: row.id for row in self._db.execute(query)}
        maintainer = next(it["login"] for it in members if it.get("role") == Role.MAINTAINER)
        self._moderator = self._users[maintainer]
        for login, follows, blocks in relatives:
            for other in [*follows, *blocks]:
                at = max(self._joined[login], self._joined[other]) + timedelta(hours=3)
                relate = relations.follow_user if other in follows else relations.block_user
                relate(self._db, self._users[login], at, self._users[other])

    def add_nodes(self, rows: list[dict[str, Any]]) -> None:
        """Add the nodes that do not exist; the first is shown first."""
        self._nodes = {row.name: row.id for row in self._db.execute(select(Node.id, Node.name))}
        opened = min(self._joined.values())
        for at, row in enumerate(rows):
            if row["name"] not in self._nodes:
                sort = 10 * (len(rows) - at)
                self._nodes[row["name"]] = self._add_node(opened, **row, sort=sort)

    def _add_node(self, opened: datetime, *, section: str, **values: Any) -> int:
        section_id = sections.find_or_create(self._db, None, opened, section)
        return nodes.create(self._db, None, opened, **values, section_id=section_id)

    def write_and_move(self, post: Post) -> _Written:
        """Write a post; a moderator moves a topic in a wrong node before it is answered."""
        written = self.write(post)
        if "moved" in post.marks:
            at = _after(written.at, post)
            body = self._authoring.render(self._moderator, post.body)
            topic, node_id = self._locked_topic(written.id), self._nodes[post.node]
            common = (self._db, self._moderator, at, self._authoring, topic)
            topics.edit(*common, TopicChanges(post.title, node_id, body))
        return written

    def write(self, post: Post) -> _Written:
        """Write a post; then its readers like it, and some of them follow or keep its topic."""
        db, at, author = self._db, self._now - post.age, self._users[post.author]
        title = post.title or None
        rendered = self._authoring.render(author, post.first_body, title=title)
        created: Any
        if title:
            node_id = self._nodes[post.marks.get("moved", post.node)]
            common = (db, author, at, self._authoring)
            created = topics.create(*common, TopicContent(title, node_id, rendered))
            self._topics[post.thread] = created.id
        else:
            topic = self._locked_topic(self._topics[post.thread])
            created = replies.create(db, author, at, self._authoring, topic, rendered)
        written = _Written(created.id, self._topics[post.thread], at)
        self._react(post, written)
        return written

    def _react(self, post: Post, written: _Written) -> None:
        readers = sorted(self._joined.keys() - self._blocked - {post.author})
        chosen = Random(post.body).sample(readers, min(post.likes, len(readers)))  # noqa: S311
        step = min(timedelta(days=2), post.age) / (len(chosen) + 1)
        for number, login in enumerate(chosen):
            first = max(written.at, self._joined[login])
            user, at = self._users[login], first + (number + 1) * step
            if not post.title:
                relations.like_reply(self._db, user, at, written.id)
                continue
            relations.like_topic(self._db, user, at, written.id)
            if number % 3 == 0:
                relations.follow_topic(self._db, user, at, written.id)
            if number % 4 == 1:
                relations.favorite(self._db, user, at, self._locked_topic(written.id))

    def moderate(self, post: Post, written: _Written) -> None:
        """Do what the marks of a post say, a little after it."""
        db, author = self._db, self._users[post.author]
        at = _after(written.at, post)
        if "edited" in post.marks:
            self._edit(post, written, at)
        if "reported" in post.marks:
            key = f"topic:{written.id}" if post.title else f"reply:{written.id}"
            target = Target(key, author, written.topic_id, None if post.title else written.id)
            category = ReportCategory(post.marks["reported"])
            for login in (DEMO_LOGIN, ADMIN_LOGIN):
                reporter = Reporter(self._users[login], Role.MEMBER, is_established=True)
                words = (db, reporter, at, target)
                reports.report(*words, category=category, comment="", hide_after=None)
        if "deleted" in post.marks and not post.title:
            replies.destroy(db, author, at, self._locked_reply(written.id))
        for state in TOPIC_STATES:
            if post.title and state.column.removesuffix("_at") in post.marks:
                topic = self._locked_topic(written.id)
                topics.change(state.begin.event, db, self._moderator, at, topic)

    def _edit(self, post: Post, written: _Written, at: datetime) -> None:
        """Let an author add the last paragraph."""
        author, authoring = self._users[post.author], self._authoring
        body = authoring.render(author, post.body, title=post.title or None)
        if post.title:
            topic = self._locked_topic(written.id)
            changes = TopicChanges(post.title, topic.node_id, body)
            topics.edit(self._db, author, at, authoring, topic, changes)
        else:
            reply = self._locked_reply(written.id)
            replies.edit(self._db, author, at, authoring, reply, body)

    def finish(self) -> None:
        """Let the members read what is long ago and choose their emails, count the views, and block
        who is to be.
        """
        old = (Notification.read_at.is_(None), Notification.created_at < self._now - _UNREAD)
        for user_id in self._users.values():
            mine = select(Notification.id).where(Notification.user_id == user_id, *old)
            inbox.mark_read(self._db, user_id, self._now - _UNREAD, self._db.scalars(mine).all())
        hits = 15 + 14 * Topic.replies_count + 9 * Topic.likes_count + Topic.id * 37 % 61
        made = update_without_invalidation(Topic).where(Topic.id.in_(self._topics.values()))
        self._db.execute(made.values(hits=hits))
        for login, columns in self._mail.items():
            chosen = update_without_invalidation(User).where(User.login == login)
            self._db.execute(chosen.values(columns))
        # Last: who is blocked writes nothing.
        blocked = update_without_invalidation(User).where(User.login.in_(self._blocked))
        self._db.execute(blocked.values(state=UserState.BLOCKED))

    def _locked_topic(self, topic_id: int) -> Any:
        return topic_queries.by_id(self._db, topic_id, lock=True)

    def _locked_reply(self, reply_id: int) -> Any:
        return reply_queries.by_id(self._db, reply_id, lock=True)


def _after(at: datetime, post: Post) -> datetime:
    """Return when a moderator has seen a post."""
    return at + min(timedelta(minutes=9), post.age / 2)


def _user_row(
    member: dict[str, Any], joined: datetime, password_hash: str | None
) -> dict[str, Any]:
    email = f"{member['login']}@members.example.org"
    texts = ("name", "location", "company", "codehost", "microblog", "website", "bio", "tagline")
    times = dict.fromkeys(("email_confirmed_at", "created_at", "updated_at"), joined)
    return {
        **{name: member.get(name, "") for name in texts},
        **times,
        "login": member["login"],
        "login_key": member["login"],
        "email": email,
        "email_key": email,
        "name_key": name_key(member.get("name", "")),
        "role": member.get("role", Role.MEMBER),
        "state": UserState.ACTIVE,
        "password_hash": password_hash,
    }
