"""Fills a database with a demo community."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, Engine, func, select, update

from .. import clock
from ..errors import Conflict
from ..models import Base, Node, Section, User
from . import postgresql, sqlite
from .community import Community
from .people import DEMO_LOGIN, people
from .post_rows import PostRows
from .relation_rows import RelationRows
from .rows import ExistingRows
from .size import Size
from .texts import Render, Texts
from .timeline import LATEST
from .writer import Progress, Writer


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
    engine: Engine,
    size: Size,
    seed: int,
    *,
    password_hash: str | None,
    render: Render,
    markup_version: int,
    progress: Progress = lambda what, done, total: None,
    until: datetime | None = None,
) -> LoadResult:
    """Fill the database with a demo community, in one transaction.

    The same size and seed give the same rows. Existing rows stay: the demo's rows get higher ids,
    and only nodes and sections of the same names are shared.

    engine: writes to a database that is at the newest revision; password_hash: of every demo
    user, or None if nobody may log in; render: Markdown → `body_html`, with mentions linked: all
    mentioned logins are demo users'; markup_version: the renderer's; progress: see `Progress`;
    until: the end of the demo's time; by default `LATEST`, or the beginning of today if that is
    earlier.
    Raises Conflict if there is a demo already.
    """
    until = until or min(LATEST, clock.now().replace(hour=0, minute=0, second=0, microsecond=0))
    open_writer = sqlite.open_writer if engine.dialect.name == "sqlite" else postgresql.open_writer
    community = Community(size, seed, until, lambda word: progress(f"planning {word}", 0, None))
    with open_writer(engine, progress) as writer:
        return _fill(writer, community, password_hash, render, markup_version, progress)


def _fill(
    writer: Writer,
    community: Community,
    password_hash: str | None,
    render: Render,
    markup_version: int,
    progress: Progress,
) -> LoadResult:
    taken = set(writer.connection.scalars(select(User.login_key)))
    if DEMO_LOGIN in taken:
        raise Conflict(f"There is a user {DEMO_LOGIN!r} already, so there is a demo community.")
    persons = list(people(community.size.users, community.seed, taken))
    logins = [person.login for person in persons]
    existing = _existing_rows(writer.connection, password_hash, markup_version)
    relation_rows = RelationRows(community, existing)
    texts = Texts(community.seed, render, _variant_count(community.size))
    post_rows = PostRows(community, texts, existing, logins, relation_rows.node_ids)
    counts: dict[str, int] = {}
    # Rows that are counted come before the rows that contain the counts.
    for table in relation_rows.relations():
        counts[table.model.__tablename__] = writer.write(table, progress)
    for table in (
        *(
            relation_rows.notifications(),
            relation_rows.sections(),
            relation_rows.nodes(),
            relation_rows.users(persons),
        ),
        *(post_rows.topics(), post_rows.replies()),
    ):
        counts[table.model.__tablename__] = writer.write(table, progress)
    _count_in_shared_nodes(writer.connection, existing, relation_rows)
    return LoadResult(counts, logins[0], logins[1])


def _variant_count(size: Size) -> int:
    """Return how many blocks to render for each subject: few for a small, quick demo."""
    return min(12, 2 + (size.topics + size.replies) // 25_000)


def _existing_rows(
    connection: Connection, password_hash: str | None, markup_version: int
) -> ExistingRows:
    last_ids = {}
    for table in Base.metadata.sorted_tables:
        if table.autoincrement_column is not None:
            last = connection.scalar(select(func.max(table.autoincrement_column)))
            last_ids[table.name] = last or 0
    return ExistingRows(
        password_hash,
        markup_version,
        last_ids,
        sections={row.name: row.id for row in connection.execute(select(Section.id, Section.name))},
        nodes={row.name: row.id for row in connection.execute(select(Node.id, Node.name))},
    )


def _count_in_shared_nodes(
    connection: Connection, existing: ExistingRows, relation_rows: RelationRows
) -> None:
    """Add the demo's topics to the counts of the nodes that existed before."""
    there = set(existing.nodes.values())
    for at, many in relation_rows.topics_of_nodes().items():
        node_id = relation_rows.node_ids[at]
        if node_id in there:
            connection.execute(
                update(Node).where(Node.id == node_id).values(topics_count=Node.topics_count + many)
            )
