"""Every list of the API, and the longest ones in a database."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from forumsvc.models import (
    Favorite,
    Node,
    Notification,
    Reply,
    Topic,
    User,
    UserBlock,
    UserFollow,
    UserState,
)
from forumsvc.queries.topic_lists import TopicOrder, UserTopicOrder


@dataclass(frozen=True)
class List:
    """A list of the API.

    name: its label in the table; path: under the API, without offset and limit; rows: its length;
    reader: id of the user whose token reads it, None for anonymous; paged: whether it has an
    offset.
    """

    name: str
    path: str
    rows: int
    reader: int | None = None
    paged: bool = True

    def page(self, offset: int, limit: int = 20) -> str:
        """Return the path of a page."""
        query = f"limit={limit}" + (f"&offset={offset}" if self.paged else "")
        return f"{self.path}{'&' if '?' in self.path else '?'}{query}"


def lists(db: Connection) -> list[List]:
    """Return every list, each of the user, topic or node with the longest one.

    A user's list is left out if no user has one.
    """
    node, in_node = _busiest(db, Topic.node_id)
    topic, in_topic = _busiest(db, Reply.topic_id)
    blocker, blocked = _busiest(db, UserBlock.user_id)
    everywhere, nodes = _count(db, Topic), _count(db, Node)
    found = [List(f"topics, {kind}", f"/topics?type={kind}", everywhere) for kind in TopicOrder]
    found += [
        List(f"topics of a node, {kind}", f"/topics?type={kind}&node_id={node}", in_node)
        for kind in TopicOrder
    ]
    found += [
        List("topics, for who blocks others", "/topics", everywhere, blocker),
        List("topics, pinned first", "/topics?pinned=first", everywhere),
        List("replies of a topic", f"/topics/{topic}/replies", in_topic),
        List("replies of a topic, newest first", f"/topics/{topic}/replies?order=newest", in_topic),
        List("replies of a topic, for a member", f"/topics/{topic}/replies", in_topic, blocker),
        List("popular users", "/users", _count(db, User), paged=False),
        List("nodes", "/nodes", nodes, paged=False),
    ]
    for name, column, paths in (
        *(("topics", Topic.user_id, [f"topics?order={order}"]) for order in UserTopicOrder),
        ("replies", Reply.user_id, ["replies"]),
        ("favorites", Favorite.user_id, ["favorites"]),
        ("followers", UserFollow.target_id, ["followers"]),
        ("following", UserFollow.user_id, ["following"]),
    ):
        user, many = _busiest(db, column)
        found += [
            List(f"{name} of a user{_order(path)}", f"/users/{user}/{path}", many) for path in paths
        ]
    reader, notifications = _busiest(db, Notification.user_id)
    found += [
        List("users whom one blocks", "/users/me/blocked", blocked, blocker),
        List("notifications", "/notifications", notifications, reader),
        # Not their groups: each is made of all that the user has.
    ]
    return found


def _order(path: str) -> str:
    order = path.partition("=")[2]
    return f", {order}" if order else ""


def _busiest(db: Connection, column: Any) -> tuple[int, int]:
    """Return the most frequent value of a column among active users, and its count."""
    number = func.count().label("number")
    found = select(column.label("id"), number).group_by(column)
    if column.table in {Topic.__table__, Reply.__table__}:
        found = found.where(column.class_.deleted_at.is_(None))
    if next(iter(column.foreign_keys)).column.table is User.__table__:
        found = found.join(User, User.id == column).where(User.state == UserState.ACTIVE)
    row = db.execute(found.order_by(number.desc()).limit(1)).one()
    return row.id, row.number


def _count(db: Connection, model: Any) -> int:
    return db.execute(select(func.count()).select_from(model)).scalar_one()
