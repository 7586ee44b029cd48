"""`forumsvc db …`."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event, insert, select, text, update
from sqlalchemy.orm import Session

from forumsvc import clock, migrate
from forumsvc.db.engine import Database
from forumsvc.models import (
    Base,
    Job,
    JobKind,
    Node,
    Notification,
    Reply,
    ReplyWords,
    Review,
    Topic,
    User,
)
from forumsvc.models.job import STANDING
from forumsvc.queries import jobs, recount
from forumsvc.search.tokens import TOKENS_VERSION
from forumsvc.services import deployment
from forumsvc.services.posts import counters as counter_check
from forumsvc.services.search.reindexing import mark_pending
from tests.cases import each
from tests.functional.cli.community import BEGAN, Community
from tests.functional.cli.conftest import INI, run_command
from tests.functional.rows import insert_row

pytestmark = pytest.mark.both_databases

COUNTED = {
    Review: ("reports_count",),
    User: (
        "topics_count",
        "replies_count",
        "following_count",
        "followers_count",
        "favorites_count",
        "unread_count",
    ),
    Node: ("topics_count",),
    Topic: (
        "replies_count",
        "others_replies_count",
        "likes_count",
        "last_reply_user_id",
        "replied_at",
        "last_active_at",
    ),
    Reply: ("likes_count",),
}
ORPHANS = 3


@pytest.fixture
def session(database: Database) -> Iterator[Session]:
    """A transaction that is taken back."""
    with database.session() as db:
        yield db


@pytest.fixture
def mended(session: Session) -> Community:
    community = Community(session)
    counter_check.fix(session)
    return community


def test_every_counter_is_recounted(session):
    recounted = {recount_.model: tuple(recount_.expected) for recount_ in recount.recounts()}
    assert recounted == COUNTED
    counters = {
        (model, column.name)
        for model in (mapper.class_ for mapper in Base.registry.mappers)
        for column in model.__table__.c
        if column.name.endswith("_count")
    }
    assert counters <= {(model, name) for model, names in COUNTED.items() for name in names}


def test_counters_count_what_everyone_can_see_and_notifications_of_what_is_hidden_go(
    mended, session
):
    names = COUNTED[User]
    assert mended.values(User, "ann", *names) == (1, 1, 1, 1, 0, 2)
    assert mended.values(User, "ben", *names) == (1, 2, 1, 2, 1, 0)
    assert mended.values(User, "cat", *names) == (0, 0, 1, 0, 0, 0)
    assert mended.values(Node, "python", "topics_count") == (1,)
    assert mended.values(Node, "rust", "topics_count") == (1,)
    last_at = mended.values(Reply, "last", "created_at")[0]
    assert mended.values(Topic, "seen", *COUNTED[Topic]) == (
        *(3, 2, 1),
        *(mended.ids["ben"], last_at, last_at),
    )
    assert mended.values(Topic, "banned", "replies_count", "likes_count") == (1, 1)
    opened = mended.values(Topic, "quiet", "created_at")[0]
    assert mended.values(Topic, "quiet", *COUNTED[Topic]) == (0, 0, 0, None, None, opened)
    assert mended.values(Reply, "first", "likes_count") == (2,)
    assert mended.values(Reply, "last", "likes_count") == (0,)
    left = set(session.scalars(select(Notification.id)))
    assert left == {mended.ids[name] for name in ("reply_told", "read", "follow_told")}


def test_what_was_mended_is_right(mended, session):
    assert recount.wrong(session) == []
    assert sum(finding.wrong for finding in counter_check.check(session)) == 0


@each(("model", "column"), [(model, name) for model, names in COUNTED.items() for name in names])
def test_a_counter_that_is_off_is_named_with_its_truth(mended, session, model, column):
    name = {User: "ben", Node: "rust", Topic: "seen", Reply: "first", Review: "judged"}[model]
    (true,) = mended.values(model, name, column)
    stored: Any = BEGAN - timedelta(days=1) if column.endswith("_at") else true + 1
    if column == "last_reply_user_id":
        stored = None
    mended.set(model, name, **{column: stored})
    id_ = mended.ids[name]
    assert recount.wrong(session) == [
        recount.WrongCounter(model.__tablename__, id_, column, stored, true)
    ]
    wrong = [finding for finding in counter_check.check(session) if finding.wrong]
    assert [(each.name, each.wrong) for each in wrong] == [(f"{model.__tablename__}.{column}", 1)]
    counter_check.fix(session)
    assert recount.wrong(session) == []


def test_the_rows_that_are_named_can_be_limited(session):
    Community(session)
    tables = [wrong.table for wrong in recount.wrong(session, limit=1)]
    assert set(tables) == {"users", "nodes", "topics", "replies", "reviews"}
    assert (
        len({wrong.id for wrong in recount.wrong(session, limit=1) if wrong.table == "users"}) == 1
    )


def test_a_check_takes_one_statement_a_table_however_many_rows(mended, session):
    statements: list[str] = []
    steps: list[None] = []
    connection = session.connection()
    event.listen(connection, "before_cursor_execute", lambda *call: statements.append(call[2]))
    counter_check.check(session, progress=lambda: steps.append(None))
    assert len(statements) == 2 + len(recount.recounts())
    assert len(steps) == counter_check.STEPS


def test_checking_counts_and_changes_nothing(run, database):
    with database.session.begin() as db:
        Community(db)
    first = run("db", "check", "--json")
    assert first.code == 1
    (line,) = first.err.splitlines()
    assert "--fix" in line
    again = run("db", "check", "--json")
    assert (again.code, again.out) == (first.code, first.out)
    plain = run("db", "check")
    assert "users.topics_count: 2 wrong" in plain.out
    assert f"notifications: {ORPHANS} wrong" in plain.out


def test_fixing_mends_all_that_is_wrong(run, database):
    with database.session.begin() as db:
        Community(db)
        wrong = len(recount.wrong(db)) + ORPHANS
    fixed = run("db", "check", "--fix", "--json", "--yes").json
    values = 3 * 6 + 2 * 1 + 4 * 6 + 6 * 1 + 1 * 1
    assert fixed == {"checked": values + 6, "wrong": wrong, "fixed": wrong, "unknown": {}}
    after = {"checked": values + 6 - ORPHANS, "wrong": 0, "fixed": 0, "unknown": {}}
    assert run("db", "check", "--json").json == after
    assert run("db", "check", "--fix", "--json", "--yes").json == after


def test_what_a_newer_version_wrote_is_named_and_breaks_no_list(run, database):
    with database.session.begin() as db:
        Community(db)
        counter_check.fix(db)
        db.execute(update(Notification).where(Notification.type == "Follow").values(type="Newer"))
        insert_row(db, Job, kind="newer", due_at=clock.now(), data={})
    unknown = {"jobs.kind": {"newer": 1}, "notifications.type": {"Newer": 1}}
    assert run("db", "check", "--json").json["unknown"] == unknown
    plain = run("db", "check")
    assert "jobs.kind: 1 rows hold 'newer', which this version does not know." in plain.out
    assert plain.code == 0
    assert "newer" in run("jobs", "list").out
    with database.reads.connect() as reads:
        assert set(jobs.counts(reads)) == set(JobKind) - STANDING


def test_an_upgrade_may_be_done_again(run):
    for _ in range(2):
        shown = run("db", "upgrade", "--json").json
        assert shown == {"revision": migrate.head(), "search_index": True}


def test_an_upgrade_that_leaves_posts_unindexed_says_what_to_run(run, database):
    with database.session.begin() as db:
        mark_pending(db)
    assert "run forumsvc search reindex" in run("db", "upgrade").out
    assert run("db", "upgrade", "--json").json["search_index"] is False


def test_an_upgrade_that_leaves_posts_indexed_in_the_old_way_says_what_to_run(run, database):
    with database.session.begin() as db:
        Community(db)
        reply_id = db.scalars(select(Reply.id)).first()
        old = {"version": TOKENS_VERSION - 1, "words": "old", "created_at": BEGAN}
        db.execute(insert(ReplyWords).values(id=reply_id, **old))
    assert "run forumsvc search reindex" in run("db", "upgrade").out
    assert run("db", "upgrade", "--json").json["search_index"] is False


def test_what_an_upgrade_would_run_is_printed_and_not_run(tmp_path):
    ini = tmp_path / "forum.ini"
    ini.write_text(INI.format(url="sqlite:///%(here)s/new/forum.sqlite"))
    for words in (("db", "upgrade", "--dry-run"), ("db", "current")):
        found = run_command("-c", ini, *words, "--json").json
        assert found["revision"] is None
        assert found["pending"][0] == "0001"
        assert found["pending"][-1] == migrate.head()
        assert "To run: 0001 All tables" in run_command("-c", ini, *words).out
    assert not (tmp_path / "new").exists()
    upgraded = run_command("-c", ini, "db", "upgrade")
    assert upgraded.out == f"The database is at revision {migrate.head()}.\n"


def test_the_revision_of_a_database_is_printed(run):
    assert run("db", "current", "--json").json == {"revision": migrate.head(), "pending": []}
    assert "There is nothing to run." in run("db", "current").out


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").touch()
    ini = tmp_path / "forum.ini"
    ini.write_text(INI.format(url="sqlite:///%(here)s/file/forum.sqlite"))
    assert "folder" in run_command("-c", ini, "db", "upgrade").refusal


@pytest.mark.parametrize("words", [("db", "check"), ("node", "list"), ("demo",)])
def test_a_database_that_is_not_set_up_is_refused_and_not_made(tmp_path, words):
    ini = tmp_path / "forum.ini"
    ini.write_text(INI.format(url="sqlite:///%(here)s/forum.sqlite"))
    assert "db upgrade" in run_command("-c", ini, *words).refusal
    assert not (tmp_path / "forum.sqlite").exists()


def test_a_database_of_another_revision_is_refused(run, database):
    moved = text("UPDATE alembic_version SET version_num = :revision")
    try:
        with database.session.begin() as db:
            db.execute(moved, {"revision": "9999"})
        assert "9999" in run("node", "list").refusal
        assert "9999" in run("db", "upgrade").refusal
        with database.session.begin() as db:
            db.execute(moved, {"revision": "0013"})
        for words in (("current",), ("upgrade", "--dry-run"), ("upgrade",)):
            assert "0013 of before the first release: make a dump" in run("db", *words).refusal
    finally:
        with database.session.begin() as db:
            db.execute(moved, {"revision": migrate.head()})


def test_a_copy_sends_after_it_was_adopted_and_only_then(database, run):
    with database.session.begin() as db:
        deployment.mark_as_copy(db, clock.now())
        assert not deployment.may_send(db, "")
    unasked = run("db", "adopt")
    assert unasked.code == 2
    assert "--yes" in unasked.err
    assert run("db", "adopt", "--yes", "--json").json == {"adopted": True}
    with database.session.begin() as db:
        assert deployment.may_send(db, "")
    assert run("db", "adopt", "--yes", "--json").json == {"adopted": False}
