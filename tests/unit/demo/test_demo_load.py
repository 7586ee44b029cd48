"""The demo in a database: complete, consistent, the same on both, and without side effects."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import insert, inspect, select, text

from forumsvc import clock
from forumsvc.db.engine import Database
from forumsvc.demo import LANGUAGES, LoadResult, Size
from forumsvc.errors import Conflict, Invalid
from forumsvc.models import (
    Base,
    CacheVersion,
    EventPosition,
    Node,
    Notification,
    NotificationType,
    Reply,
    ReplyWords,
    Role,
    Topic,
    TopicWords,
    User,
    UserBlock,
    UserState,
)
from forumsvc.queries import recount
from forumsvc.services import counter_check

from .conftest import SEED, SIZE

SMALL = Size(users=8, topics=12, replies=40)
ONLY_SQL = Size(users=8, topics=2, replies=2100)


def rows_of(database: Database, table: Any) -> list[Any]:
    order = table.primary_key.columns
    with database.reads.connect() as connection:
        return list(connection.execute(select(table).order_by(*order)).mappings())


def schema_of(database: Database) -> dict[str, Any]:
    inspector = inspect(database.writes)
    return {
        table: (
            inspector.get_pk_constraint(table),
            sorted(inspector.get_foreign_keys(table), key=str),
            sorted(inspector.get_unique_constraints(table), key=str),
            sorted(inspector.get_check_constraints(table), key=str),
            sorted(_readable(index) for index in inspector.get_indexes(table)),
        )
        for table in Base.metadata.tables
    }


def _readable(index: Any) -> str:
    options = {key: str(value) for key, value in index.pop("dialect_options", {}).items()}
    return f"{sorted(index.items())} {options}"


def newcomer(login: str, **values: Any) -> dict[str, Any]:
    now = clock.now()
    return {
        "login": login,
        "login_key": login,
        "role": Role.MEMBER,
        "state": UserState.ACTIVE,
        "created_at": now,
        "updated_at": now,
        **values,
    }


def wrong(database: Database) -> list[str]:
    """Return the counters of which `db check` finds wrong ones."""
    with database.reads.connect() as connection:
        return [finding.name for finding in counter_check.check(connection) if finding.wrong]


def test_every_counter_is_right_and_none_is_only_zero(demo: Database) -> None:
    assert wrong(demo) == []
    for recounted in recount.recounts():
        for name in recounted.expected:
            assert any(row[name] for row in rows_of(demo, recounted.model.__table__)), name


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", [SMALL, ONLY_SQL], ids=["by services", "by SQL"])
def test_every_counter_is_right_in_every_language(
    empty: Database, fill: Callable[..., LoadResult], language: str, size: Size
) -> None:
    fill(empty, size, language=language)
    assert wrong(empty) == []


def test_a_language_that_is_not_known_is_refused(
    empty: Database, fill: Callable[..., LoadResult]
) -> None:
    with pytest.raises(Invalid) as refusal:
        fill(empty, SMALL, language="tlh")
    assert refusal.value.field == "language"


@pytest.mark.parametrize(
    "numbers", [(2, 0, 0), (2, 1, 0), (2, 1, 30), (3, 5, 1), (2, 300, 1), (3, 1, 1500)]
)
def test_communities_of_odd_sizes_are_possible(
    empty: Database, fill: Callable[..., LoadResult], numbers: tuple[int, int, int]
) -> None:
    counts = fill(empty, Size(*numbers)).counts
    assert (counts["users"], counts["topics"], counts["replies"]) == numbers
    assert wrong(empty) == []


def test_there_are_as_many_rows_as_requested(demo: Database) -> None:
    counts = [len(rows_of(demo, model.__table__)) for model in (User, Topic, Reply)]
    assert counts == [SIZE.users, SIZE.topics, SIZE.replies]


REPEATED = [
    table
    for table in Base.metadata.sorted_tables
    if not table.name.startswith("oauth") and table.name != CacheVersion.__tablename__
]


@pytest.mark.parametrize("table", REPEATED, ids=str)
def test_the_same_seed_gives_the_same_rows_on_both_databases(
    demos: Callable[[str], Database], table: Any
) -> None:
    ignored = {Topic.version.key}
    if table is EventPosition.__table__:
        ignored.add("updated_at")
    if table in (TopicWords.__table__, ReplyWords.__table__):
        ignored.add("words")  # PostgreSQL returns them in another order, with quotes.
    if table is Notification.__table__:
        ignored.add("id")  # A database may notify the recipients of one event in any order.
    one, other = (
        [[(name, row[name]) for name in row if name not in ignored] for row in rows_of(it, table)]
        for it in (demos("sqlite"), demos("postgresql"))
    )
    if table is Notification.__table__:
        one, other = sorted(one, key=str), sorted(other, key=str)
    assert one == other


def test_another_seed_gives_another_community(
    empty: Database, demo: Database, fill: Callable[..., LoadResult]
) -> None:
    fill(empty, SMALL, seed=SEED + 1)
    there, here = ({row["title"] for row in rows_of(it, Topic.__table__)} for it in (demo, empty))
    assert len(there & here) < len(here) / 4


def test_the_schema_is_afterwards_what_it_was_before(
    empty: Database, fill: Callable[..., LoadResult]
) -> None:
    before = schema_of(empty)
    fill(empty, ONLY_SQL)
    assert any(indexes for *_, indexes in before.values())
    assert schema_of(empty) == before


def test_foreign_keys_are_enforced_afterwards(
    empty: Database, fill: Callable[..., LoadResult]
) -> None:
    fill(empty, ONLY_SQL)
    values = {"user_id": 10**6, "target_id": 1, "created_at": clock.now()}
    with (
        pytest.raises(Exception, match=r"(?i)foreign key"),
        empty.writes.begin() as connection,
    ):
        connection.execute(insert(UserBlock).values(values))


def test_ids_go_on_behind_the_demo(empty: Database, fill: Callable[..., LoadResult]) -> None:
    fill(empty, SMALL)
    with empty.writes.begin() as connection:
        added = connection.execute(insert(User).values(newcomer("later")).returning(User.id))
        assert added.scalar_one() == SMALL.users + 1


def test_a_second_demo_is_refused_and_changes_nothing(
    empty: Database, fill: Callable[..., LoadResult]
) -> None:
    fill(empty, SMALL)
    before, schema = rows_of(empty, User.__table__), schema_of(empty)
    with pytest.raises(Conflict):
        fill(empty, SMALL, seed=SEED + 1)
    assert rows_of(empty, User.__table__) == before
    assert schema_of(empty) == schema


@pytest.mark.parametrize(
    ("size", "step"),
    [(SMALL, "posts with notifications"), (SIZE, "topics"), (SIZE, "posts with notifications")],
    ids=str,
)
def test_a_demo_that_fails_at_any_step_leaves_no_trace(
    empty: Database, fill: Callable[..., LoadResult], size: Size, step: str
) -> None:
    def progress(what: str, done: int, total: int | None) -> None:
        if what == step:
            raise ZeroDivisionError

    schema = schema_of(empty)
    with pytest.raises(ZeroDivisionError):
        fill(empty, size, progress=progress)
    assert all(rows_of(empty, table) == [] for table in Base.metadata.sorted_tables)
    assert schema_of(empty) == schema


def test_postgresql_may_use_the_new_indexes_at_once(demos: Callable[[str], Database]) -> None:
    with demos("postgresql").reads.connect() as connection:
        unused = connection.scalars(
            text(
                "SELECT indexrelid::regclass::text FROM pg_index WHERE indcheckxmin"
                " AND indrelid IN ('users'::regclass, 'topics'::regclass, 'replies'::regclass)"
            )
        )
        assert unused.all() == []


def test_what_was_there_stays_and_the_demo_comes_behind_it(
    empty: Database, fill: Callable[..., LoadResult]
) -> None:
    now = clock.now()
    with empty.writes.begin() as connection:
        connection.execute(insert(User).values(newcomer("admin", name="The real one")))
        node = {"name": "Python", "summary": "Ours", "created_at": now, "updated_at": now}
        connection.execute(insert(Node).values(node))
        topic = {"title": "First", "body": "Hi", "body_html": "<p>Hi</p>", "markup_version": 1}
        topic |= {"last_active_at": now, "created_at": now, "updated_at": now}
        connection.execute(insert(Topic).values({**topic, "user_id": 1, "node_id": 1}))
        connection.execute(text("UPDATE users SET topics_count = 1"))
        connection.execute(text("UPDATE nodes SET topics_count = 1"))
    loaded = fill(empty, Size(users=12, topics=260, replies=60))
    assert wrong(empty) == []
    users = rows_of(empty, User.__table__)
    assert [user["login"] for user in users[:2]] == ["admin", loaded.demo_login]
    assert loaded.admin_login != "admin"
    assert [row["name"] for row in rows_of(empty, Node.__table__)].count("Python") == 1
    assert rows_of(empty, Topic.__table__)[0]["title"] == "First"
    with empty.reads.connect() as connection:
        in_python = select(Node.topics_count).where(Node.name == "Python")
        assert connection.execute(in_python).scalar_one() > 1


def test_the_demo_user_is_a_member_with_topics_replies_and_notifications(demo: Database) -> None:
    with demo.reads.connect() as connection:
        user = connection.execute(select(User).where(User.login == "demo")).one()
        rows = connection.execute(select(Notification).where(Notification.user_id == user.id))
        assert (user.role, user.state) == (Role.MEMBER, UserState.ACTIVE)
        assert min(user.topics_count, user.replies_count, user.unread_count) > 0
        assert len(rows.all()) > user.unread_count
        admin = connection.execute(select(User).where(User.login == "admin")).one()
        assert (admin.role, admin.state) == (Role.ADMIN, UserState.ACTIVE)


def test_no_user_is_notified_of_themselves_or_of_users_they_have_blocked(demo: Database) -> None:
    blocks = {(row["user_id"], row["target_id"]): row for row in rows_of(demo, UserBlock.__table__)}
    for row in rows_of(demo, Notification.__table__):
        assert row["user_id"] != row["actor_id"]
        block = blocks.get((row["user_id"], row["actor_id"]))
        assert block is None or block["created_at"] > row["created_at"]


def test_an_event_notifies_a_user_once(demo: Database) -> None:
    with demo.reads.connect() as connection:
        doubles = connection.execute(
            text(
                "SELECT user_id, actor_id, topic_id, reply_id, created_at FROM notifications"
                " GROUP BY user_id, actor_id, topic_id, reply_id, created_at HAVING count(*) > 1"
            )
        ).all()
    assert doubles == []


def test_each_type_of_notification_points_at_what_it_is_about(demo: Database) -> None:
    pointing = {
        "Topic": (False, True, False, False),
        "TopicReply": (False, True, True, False),
        "Follow": (False, False, False, False),
        "NodeChanged": (False, True, False, True),
        "MentionTopic": (True, True, False, False),
        "MentionReply": (True, True, True, False),
    }
    with demo.reads.connect() as connection:
        rows = connection.execute(select(Notification)).all()
    seen = {
        row.type + (row.mention_type or ""): tuple(
            it is not None for it in (row.mention_type, row.topic_id, row.reply_id, row.node_id)
        )
        for row in rows
    }
    assert seen == pointing
    assert {row.type for row in rows} == {*NotificationType} - {NotificationType.MODERATION}


def test_no_notification_points_at_what_is_hidden(demo: Database) -> None:
    with demo.reads.connect() as connection:
        hidden = connection.execute(
            text(
                "SELECT n.id FROM notifications n LEFT JOIN topics t ON t.id = n.topic_id"
                " LEFT JOIN replies r ON r.id = n.reply_id WHERE t.deleted_at IS NOT NULL"
                " OR t.banned_at IS NOT NULL OR r.deleted_at IS NOT NULL"
            )
        ).all()
    assert hidden == []


def test_a_user_mentioned_in_a_recent_reply_is_notified(demo: Database) -> None:
    with demo.reads.connect() as connection:
        rows = connection.execute(
            text(
                "SELECT u.login, r.body, r.body_html FROM notifications n"
                " JOIN users u ON u.id = n.user_id JOIN replies r ON r.id = n.reply_id"
                " WHERE n.type = 'Mention'"
            )
        ).all()
    assert len(rows) > 20
    for row in rows:
        assert row.body.startswith(f"@{row.login}")
        assert f'<a href="/{row.login}" class="user-mention">@{row.login}</a>' in row.body_html


def test_progress_is_reported_for_every_step_up_to_its_end(
    empty: Database, fill: Callable[..., LoadResult]
) -> None:
    rows: dict[str, list[tuple[int, int | None]]] = {}

    def progress(what: str, done: int, total: int | None) -> None:
        rows.setdefault(what, []).append((done, total))

    fill(empty, ONLY_SQL, progress=progress)
    steps = ["users", "texts", "topics", "replies", "relations", "counters", "indexes"]
    steps.append("search index")
    assert list(rows) == steps
    for step in steps:
        assert rows[step][-1][0] == rows[step][-1][1], step
    assert rows["replies"][-1][0] == ONLY_SQL.replies


@pytest.mark.parametrize(
    ("field", "numbers"),
    [
        ("users", (1, 0, 0)),
        ("users", (2**20, 0, 0)),
        ("topics", (2, -1, 0)),
        ("topics", (2, 2**27, 0)),
        ("replies", (2, 1, -1)),
        ("replies", (2, 0, 1)),
    ],
)
def test_a_size_that_makes_no_community_is_refused(
    field: str, numbers: tuple[int, int, int]
) -> None:
    with pytest.raises(Invalid) as refusal:
        Size(*numbers)
    assert refusal.value.field == field
