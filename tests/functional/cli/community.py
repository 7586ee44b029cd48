"""A small community with something of every kind in it, and all that is counted of it."""

from datetime import timedelta
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from forumsvc.clock import now
from forumsvc.models import (
    Base,
    Favorite,
    Node,
    Notification,
    Reply,
    ReplyLike,
    Report,
    Review,
    Topic,
    TopicLike,
    User,
    UserFollow,
)
from tests.functional.rows import insert_row

BEGAN = now() - timedelta(days=1)


class Community:
    """Rows by name, put into the database by hand with every counter at 0.

    There are three users and two nodes. In `python` there are the topics of ann: `seen`, which has
    a like, four replies (ben's, ann's own, ben's last, and cat's deleted one after it) and is a
    favourite of ben; and `banned` and `deleted`, with a reply, a like and a favourite each, of
    ben. In `rust` there is ben's `quiet`. `judged` is a review with one report.
    """

    def __init__(self, db: Session) -> None:
        self._db = db
        self._minutes = 0
        self.ids: dict[str, int] = {}
        for login in ("ann", "ben", "cat"):
            self.add(login, User, login=login)
        for name in ("python", "rust"):
            self.add(name, Node, name=name)
        self._add_topics()
        self._add_relations()
        self._add_notifications()
        review = {"kind": "reported", "object_key": "user:1", "user_id": self.ids["ann"]}
        self.add("judged", Review, opened_at=BEGAN, **review)
        report = {"review_id": self.ids["judged"], "reporter_id": self.ids["ben"]}
        self.add("report", Report, category="spam", is_established=True, **report)

    def _add_topics(self) -> None:
        self.topic("seen", "ann", "python")
        self.topic("banned", "ann", "python", banned_at=BEGAN)
        self.topic("deleted", "ann", "python", deleted_at=BEGAN)
        self.topic("quiet", "ben", "rust")
        self.reply("first", "ben", "seen")
        self.reply("own", "ann", "seen")
        self.reply("last", "ben", "seen")
        self.reply("gone", "cat", "seen", deleted_at=BEGAN)
        self.reply("under_banned", "ben", "banned")
        self.reply("under_deleted", "ben", "deleted")

    def _add_relations(self) -> None:
        for topic in ("seen", "banned", "deleted"):
            self.relation(TopicLike, "ben", topic_id=self.ids[topic])
            self.relation(Favorite, "ben", topic_id=self.ids[topic])
        for login in ("ann", "cat"):
            self.relation(ReplyLike, login, reply_id=self.ids["first"])
            self.relation(UserFollow, login, target_id=self.ids["ben"])
        self.relation(UserFollow, "ben", target_id=self.ids["ann"])

    def _add_notifications(self) -> None:
        self.notification("reply_told", "ann", "TopicReply", topic="seen", reply="first")
        self.notification("read", "ann", "TopicReply", topic="seen", reply="last", read_at=BEGAN)
        self.notification("follow_told", "ann", "Follow")
        self.notification("of_gone", "ann", "TopicReply", topic="seen", reply="gone")
        self.notification("of_banned", "cat", "Topic", topic="banned")
        self.notification("of_deleted", "cat", "Mention", topic="deleted", mention_type="Topic")

    def add(self, called: str, model: type[Base], **values: Any) -> None:
        """Insert a row, a minute younger than the one before it."""
        self._minutes += 1
        moment = BEGAN + timedelta(minutes=self._minutes)
        columns: Any = model.__table__.c
        times = {key: moment for key in ("created_at", "updated_at") if key in columns}
        self.ids[called] = insert_row(self._db, model, **{**times, **values})

    def topic(self, name: str, author: str, node: str, **values: Any) -> None:
        of = {"user_id": self.ids[author], "node_id": self.ids[node]}
        self.add(name, Topic, **of, last_active_at=BEGAN, **values)

    def reply(self, name: str, author: str, topic: str, **values: Any) -> None:
        self.add(name, Reply, user_id=self.ids[author], topic_id=self.ids[topic], **values)

    def relation(self, model: type[Base], login: str, **target: int) -> None:
        """Insert a like, follow or favourite."""
        self.add(f"{model.__name__} {login} {target}", model, user_id=self.ids[login], **target)

    def notification(
        self,
        name: str,
        user: str,
        type_: str,
        *,
        topic: str | None = None,
        reply: str | None = None,
        **values: Any,
    ) -> None:
        """Insert a notification of something that ben did."""
        points_to = {
            "topic_id": None if topic is None else self.ids[topic],
            "reply_id": None if reply is None else self.ids[reply],
        }
        of = {"user_id": self.ids[user], "actor_id": self.ids["ben"], "type": type_}
        self.add(name, Notification, **of, **points_to, **values)

    def values(self, model: type[Base], name: str, *columns: str) -> tuple[Any, ...]:
        wanted = [getattr(model, column) for column in columns]
        return tuple(self._db.execute(select(*wanted).where(self._is(model, name))).one())

    def set(self, model: type[Base], name: str, **values: Any) -> None:
        """Change columns of a row."""
        self._db.execute(update(model).where(self._is(model, name)).values(values))

    def _is(self, model: type[Base], name: str) -> Any:
        return model.__table__.c.id == self.ids[name]
