"""Loading a dump into an empty database, in one transaction."""

from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import Table, func, select
from sqlalchemy.orm import Session

from .. import clock, migrate
from ..cache import invalidation
from ..db.engine import Database
from ..db.execution import SqlConnection
from ..db.statements import delete_of
from ..markup.plain_text import escape_to_html
from ..models import AuditRecord, Job, JobKind, TopicRead, User
from ..models.cache_version import random_version
from ..models.declarations import SECRET
from ..search.normal_form import name_key
from ..services.moderation import sweeps
from ..services.posts import counters, place_backfill
from ..services.search import reindexing
from ..text.email_addresses import email_key
from .archive import Archive
from .errors import DumpError
from .fields import fields_of, read_row
from .manifest import Manifest, member_name
from .row_writer import Row, RowWriter
from .snapshot import is_current
from .tables import dumped_tables, is_numbered
from .writing import Progress

_EMPTIED = ("idempotency_keys", "login_failures", "login_successes", "topic_words", "reply_words")
"""The tables that no dump has, and whose rows belong to what a load replaces."""
_MAX_LAST_ID = 2**62
"""The highest id of a row that is loaded: the next rows need some, too."""


def load_dump(
    database: Database,
    archive: Archive,
    *,
    trust_html: bool = False,
    progress: Progress = lambda table: None,
    warn: Callable[[str], None] = lambda text: None,
    prepare: Callable[[Session], None] = lambda db: None,
    finish: Callable[[Session], None] = lambda db: None,
) -> int:
    """Load a dump into a database without users; return how many counters were wrong in it.

    All of it or nothing: it is one transaction. Afterwards `search reindex` has to make the index
    of the search, and `content rerender` the HTML of the posts, which are shown as plain text
    meanwhile. trust_html: take the HTML of the dump instead, which is shown as it is, and every
    text that the database takes: only for a dump of your own; warn: called with what is not as it
    should be, and is taken all the same; prepare, finish: called in the transaction before the load
    and at its end. Raises DumpError.
    """
    archive.check_tables()
    manifest = archive.manifest
    _upgrade(database)
    database.leave_wal()
    with database.session.begin() as db:
        prepare(db)
        _make_empty(db, manifest)
        tables = dumped_tables(secrets=manifest.secrets)
        writer = RowWriter(db.connection(), tables)
        for table in tables:
            if table.name in manifest.tables:
                _load_table(writer, table, archive, is_own=trust_html, warn=warn)
                progress(table.name)
        writer.finish()
        # Their rows are in no dump.
        db.execute(delete_of(Job).where(Job.kind == JobKind.EXPORT))
        if Job.__tablename__ not in manifest.tables:
            # A user with an order that never ends could undo nothing.
            sweeps.enqueue_unfinished(db, clock.now())
        if {Job.__tablename__, TopicRead.__tablename__} - manifest.tables.keys():
            # It has no places, or was made before all of them were.
            place_backfill.enqueue(db, clock.now())
        wrong_counters = _check_counters(db)
        reindexing.mark_pending(db)
        for version in (invalidation.TOPIC_LISTS, invalidation.DISPLAY_NAMES, invalidation.ACCESS):
            invalidation.invalidate(db, version)
        finish(db)
    return wrong_counters


def _upgrade(database: Database) -> None:
    """Make the tables of a database, or go on where a killed load left off making them.

    One with users is left to its administrator. Raises DumpError.
    """
    revision = migrate.current(database.reads)
    is_new = revision is None  # a file, too, that no connection may make yet
    if migrate.is_behind(revision) and not is_new:
        with database.reads.connect() as db:
            is_new = not _has_users(db)
    if is_new:
        migrate.upgrade(database.writes)
    if not is_current(database):
        raise DumpError("The database is not at the revision of this code: run db upgrade.")


def _has_users(db: SqlConnection) -> bool:
    return db.scalar(select(User.id).where(User.is_builtin.is_(False)).limit(1)) is not None


def _make_empty(db: Session, manifest: Manifest) -> None:
    """Delete what a new database has. Raises DumpError where there are users, or a log."""
    known = dumped_tables(secrets=True)
    metadata = known[0].metadata
    emptied = [*known, *(metadata.tables[name] for name in _EMPTIED)]
    connection = db.connection()
    if connection.dialect.name == "postgresql":
        names = ", ".join(table.name for table in emptied)
        connection.exec_driver_sql(f"LOCK TABLE {names} IN SHARE ROW EXCLUSIVE MODE")
    if _has_users(db):
        raise DumpError("The database has users already: a dump is loaded into an empty one.")
    has_log = bool(db.scalar(select(func.count()).select_from(AuditRecord)))
    log = manifest.tables.get(AuditRecord.__tablename__)
    if has_log and log is not None and log.rows:
        raise DumpError(
            "The database has a log already, which cannot be replaced: load into a new database."
        )
    for table in reversed(
        [sorted_table for sorted_table in metadata.sorted_tables if sorted_table in emptied]
    ):
        if table.name != AuditRecord.__tablename__:
            connection.execute(table.delete())


def _load_table(
    writer: RowWriter, table: Table, archive: Archive, *, is_own: bool, warn: Callable[[str], None]
) -> None:
    fields = fields_of(table, secrets=archive.manifest.secrets)
    complete = _completion(table, is_own)
    has_ids = is_numbered(table)
    last_id = 0

    def rows() -> Iterator[Row]:
        nonlocal last_id
        for number, line in archive.lines(table.name):
            where = f"{member_name(table.name)} line {number}"
            warnings: list[str] = []
            try:
                row = read_row(line, fields, is_own=is_own, warn=warnings.append)
                complete(row)
            except DumpError as error:
                raise DumpError(f"{where}: {error}.") from None
            for text in warnings:
                warn(f"{where}: {text}.")
            if has_ids and row["id"] > last_id:
                last_id = row["id"]
            yield number, len(line), row

    writer.write(table, rows())
    if has_ids:
        last_id = max(last_id, archive.manifest.tables[table.name].last_id)
        if last_id > _MAX_LAST_ID:
            raise DumpError(f"{member_name(table.name)}: after the id {last_id} none is left.")
        writer.set_last_id(table, last_id)


def _completion(table: Table, trust_html: bool) -> Callable[[dict[str, Any]], None]:
    """Return a function that adds to a row what a dump does not have."""
    secret = [column.name for column in table.columns if column.info == SECRET]
    has_html = "body_html" in table.columns

    def complete(row: dict[str, Any]) -> None:
        if table.name == "users":
            row["login_key"] = row["login"].lower()
            email = row["email"]
            # An address may be older than what is one now.
            row["email_key"] = email and (email_key(email) or email.lower())
            row["name_key"] = name_key(row["name"])
        elif table.name == "topics":
            row["version"] = random_version()
        elif table.name in ("events", "event_positions"):
            # Of no transaction of this database: visible at once, and before all that follow.
            row["xid"] = 0
        elif table.name == "jobs" and not isinstance(row["data"], dict):
            raise DumpError("data must be an object")
        for name in secret:
            row.setdefault(name, None)
        if has_html:
            is_rendered = None not in (row.get("body_html"), row.get("markup_version"))
            if not (trust_html and is_rendered):
                row |= {"body_html": escape_to_html(row["body"]), "markup_version": 0}

    return complete


def _check_counters(db: Session) -> int:
    """Recount, and correct what is wrong; return how many were."""
    wrong = sum(finding.wrong for finding in counters.check(db))
    if wrong:
        counters.fix(db)
        db.flush()
        if any(finding.wrong for finding in counters.check(db)):
            raise DumpError("The counters cannot be corrected.")
    return wrong
