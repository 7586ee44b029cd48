"""Fills a database with a demo community."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy import Connection, func, insert, select
from sqlalchemy.orm import Session

from .. import clock
from ..cache import invalidation
from ..db.engine import Database
from ..db.statements import update_of
from ..errors import Conflict, Invalid
from ..markup import Renderer
from ..models import Base, Node, Reply, Topic, User
from ..services import counter_check, events, nodes, search_reindex
from ..services.content.authoring import Authoring
from ..services.content.rules import Rules
from .bulk import Bulk, multiply
from .community import Community
from .indexes import without_indexes
from .language import LANGUAGES, Theme, themes
from .members import Members, joining_times, user_rows
from .people import DEMO_LOGIN, people
from .reports import report_some
from .rng import stream
from .size import Size

LATEST = datetime(2026, 11, 1, tzinfo=UTC)
"""The latest time in a demo. Fixed, so that the same seed gives the same rows on any day."""

_LENGTH = timedelta(days=3 * 365)
"""How long the demo community has existed."""

_BASE_LENGTH = timedelta(days=60)
"""How long of it the posts take that are made through the services, where SQL makes others."""

_ACTIVE_USERS = 50
"""How many users act in the posts that are made through the services, at most."""

_MAX_MENTIONS = 20

Progress = Callable[[str, int, int | None], None]
"""Called with the name of the current step, what is done of it, and its total (None: unknown)."""


@dataclass(frozen=True)
class LoadResult:
    """What was written.

    counts: table name → rows; demo_login, admin_login: the first two users, an ordinary member
    with topics, replies and notifications, and an admin.
    """

    counts: Mapping[str, int]
    demo_login: str
    admin_login: str


def load(
    database: Database,
    size: Size,
    seed: int,
    *,
    renderer: Renderer,
    language: str = "en",
    user_url: str = "/{login}",
    password_hash: str | None = None,
    progress: Progress = lambda what, done, total: None,
    until: datetime | None = None,
) -> LoadResult:
    """Fill the database, which is at the newest revision, with a demo community.

    The same size, seed and language give the same rows. Existing rows stay: the demo's rows get
    higher ids, and only nodes and sections of the same names are shared. It is one
    transaction; then the posts are indexed for the search.

    language: one of `LANGUAGES`; user_url: the template of a mention's link; password_hash: of
    every demo user, or None if nobody may log in; progress: see `Progress`; until: the end of the
    demo's time; by default `LATEST`, or the beginning of today if that is earlier.
    Raises Conflict if there is a demo already, Invalid for a language that is not known.
    """
    if language not in LANGUAGES:
        raise Invalid("language", f"must be one of {', '.join(LANGUAGES)}")
    until = until or min(LATEST, clock.now().replace(hour=0, minute=0, second=0, microsecond=0))
    used_themes = themes(language)
    authoring = Authoring(renderer, user_url, _MAX_MENTIONS, Rules(), inline_recipients=size.users)
    start, base = until - _LENGTH, size.base()
    is_large = (base.topics, base.replies) != (size.topics, size.replies)
    base_start = until - _BASE_LENGTH if is_large else start
    joined = joining_times(size.users, start, until - _BASE_LENGTH)
    with database.session.begin() as db:
        events.record_nothing(db)
        before = _count_rows(db)
        users = _insert_users(db, used_themes, joined, password_hash, seed)
        progress("users", size.users, size.users)
        node_ids = _create_nodes(db, used_themes, start)
        if is_large:
            bulk = Bulk(
                size.without(base),
                first_user=users[0]["id"],
                first_topic=_next_id(db, Topic),
                first_reply=_next_id(db, Reply),
                themes=used_themes,
                node_ids=node_ids,
                start=start,
                end=base_start,
                seed=seed,
            )
            _multiply(db, bulk, renderer, progress)
        search_reindex.mark_pending(db)
        active = users[:_ACTIVE_USERS]
        ids, logins = [row["id"] for row in active], [row["login"] for row in active]
        members = Members(ids, logins, joined[:_ACTIVE_USERS], stream(seed, "members"))
        community = Community(db, authoring, members, used_themes, node_ids, seed)
        total = base.topics + base.replies
        community.write(
            *(base.topics, base.replies, base_start, until),
            lambda done: progress("posts with notifications", done, total),
        )
        report_some(db, ids, until)
        db.connection().exec_driver_sql("ANALYZE")
        counts = {name: many - before[name] for name, many in _count_rows(db).items()}
        for version in (invalidation.TOPIC_LISTS, invalidation.DISPLAY_NAMES):
            invalidation.invalidate(db, version)
    search_reindex.reindex(database, progress=partial(progress, "search index"))
    return LoadResult(counts, logins[0], logins[1])


def _multiply(db: Session, bulk: Bulk, renderer: Renderer, progress: Progress) -> None:
    """Make the posts that SQL makes, and set every counter."""
    connection = db.connection()
    with without_indexes(connection, progress):
        multiply(connection, bulk, lambda text: renderer.render(text).to_html({}, ""), progress)
        connection.exec_driver_sql("ANALYZE")
        progress("counters", 0, counter_check.STEPS)
        counter_check.fix(db)
        progress("counters", counter_check.STEPS, counter_check.STEPS)
        # PostgreSQL checks each foreign key by a join, which it plans by these figures.
        connection.exec_driver_sql("ANALYZE")
    _advance_sequences(connection, (Topic, Reply))


def _insert_users(
    db: Session,
    used_themes: Sequence[Theme],
    joined: list[datetime],
    password_hash: str | None,
    seed: int,
) -> list[dict[str, Any]]:
    taken = set(db.scalars(select(User.login_key)))
    if DEMO_LOGIN in taken:
        raise Conflict(f"There is a user {DEMO_LOGIN!r} already, so there is a demo community.")
    languages = list({id(theme.language): theme.language for theme in used_themes}.values())
    persons = people(len(joined), stream(seed, "people"), languages, taken)
    rows = user_rows(persons, _next_id(db, User), joined, password_hash)
    db.execute(insert(User), rows)
    _advance_sequences(db.connection(), (User,))
    return rows


def _create_nodes(db: Session, used_themes: Sequence[Theme], moment: datetime) -> list[int]:
    """Create the nodes that do not exist yet; return the ids of all, in the order of the themes."""
    known = {row.name: row.id for row in db.execute(select(Node.id, Node.name))}
    made = []
    for at, theme in enumerate(used_themes):
        if theme.name not in known:
            sort = 10 * (len(used_themes) - at)
            texts = {"summary": theme.summary, "section": theme.section}
            known[theme.name] = nodes.create(db, theme.name, sort=sort, **texts).id
            made.append(known[theme.name])
    times = {"created_at": moment, "updated_at": moment}
    db.execute(update_of(Node).where(Node.id.in_(made)).values(times))
    return [known[theme.name] for theme in used_themes]


def _next_id(db: Session, model: type[Base]) -> int:
    return (db.scalar(select(func.max(model.__table__.c.id))) or 0) + 1


def _advance_sequences(db: Connection, models: Iterable[type[Base]]) -> None:
    """Let PostgreSQL number new rows after the existing ones, as SQLite does by itself."""
    if db.dialect.name == "postgresql":
        for model in models:
            largest = func.max(model.__table__.c.id)
            sequence = func.pg_get_serial_sequence(model.__tablename__, "id")
            db.execute(select(func.setval(sequence, largest)).having(largest.is_not(None)))


def _count_rows(db: Session) -> dict[str, int]:
    tables = (
        *("sections", "nodes", "users", "topics", "replies", "topic_likes", "reply_likes"),
        *("topic_follows", "favorites", "user_follows", "user_blocks", "notifications"),
        "reports",
    )
    counted = {}
    for name in tables:
        table = Base.metadata.tables[name]
        counted[name] = db.scalar(select(func.count()).select_from(table)) or 0
    return counted
