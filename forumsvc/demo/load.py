"""Filling a database with a demo community."""

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
from .post_rows import Posts
from .relation_rows import Others
from .rows import Given
from .size import Size
from .texts import Render, Texts
from .timeline import LATEST
from .writer import Progress, Writer


@dataclass(frozen=True)
class Loaded:
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
) -> Loaded:
    """Fill the database with a demo community, in one transaction.

    The same size and seed give the same rows. What the database holds already stays: the demo's
    rows come behind it, and only nodes and sections of the same names are shared.

    engine: writes to a database that is at the newest revision; password_hash: of every demo
    user, or None where nobody shall log in; render: Markdown → `body_html`, mentions linked: all
    logins mentioned are demo users'; markup_version: the renderer's; progress: see `Progress`;
    until: when the demo's time ends, `LATEST` if it is not given, or the beginning of today
    if that is earlier.
    Raises Conflict where there is a demo already.
    """
    until = until or min(LATEST, clock.now().replace(hour=0, minute=0, second=0, microsecond=0))
    writing = sqlite.writing if engine.dialect.name == "sqlite" else postgresql.writing
    plan = Community(size, seed, until, lambda word: progress(f"planning {word}", 0, None))
    with writing(engine, progress) as writer:
        return _fill(writer, plan, password_hash, render, markup_version, progress)


def _fill(
    writer: Writer,
    plan: Community,
    password_hash: str | None,
    render: Render,
    markup_version: int,
    progress: Progress,
) -> Loaded:
    taken = set(writer.connection.scalars(select(User.login_key)))
    if DEMO_LOGIN in taken:
        raise Conflict(f"There is a user {DEMO_LOGIN!r} already, so there is a demo community.")
    persons = list(people(plan.size.users, plan.seed, taken))
    logins = [person.login for person in persons]
    given = _given(writer.connection, password_hash, markup_version)
    others = Others(plan, given)
    texts = Texts(plan.seed, render, _variants(plan.size))
    posts = Posts(plan, texts, given, logins, others.node_ids)
    counts: dict[str, int] = {}
    # What counts something comes before what shows the count.
    for table in others.relations():
        counts[table.model.__tablename__] = writer.write(table, progress)
    for table in (
        *(others.notifications(), others.sections(), others.nodes(), others.users(persons)),
        *(posts.topics(), posts.replies()),
    ):
        counts[table.model.__tablename__] = writer.write(table, progress)
    _count_in_shared_nodes(writer.connection, given, others)
    return Loaded(counts, logins[0], logins[1])


def _variants(size: Size) -> int:
    """Return how many blocks to render for each subject: few for a demo that shall be quick."""
    return min(12, 2 + (size.topics + size.replies) // 25_000)


def _given(connection: Connection, password_hash: str | None, markup_version: int) -> Given:
    last_ids = {}
    for table in Base.metadata.sorted_tables:
        if table.autoincrement_column is not None:
            last = connection.scalar(select(func.max(table.autoincrement_column)))
            last_ids[table.name] = last or 0
    return Given(
        password_hash,
        markup_version,
        last_ids,
        sections={row.name: row.id for row in connection.execute(select(Section.id, Section.name))},
        nodes={row.name: row.id for row in connection.execute(select(Node.id, Node.name))},
    )


def _count_in_shared_nodes(connection: Connection, given: Given, others: Others) -> None:
    """Add the demo's topics to the counts of the nodes that were there before."""
    there = set(given.nodes.values())
    for at, many in others.topics_of_nodes().items():
        node_id = others.node_ids[at]
        if node_id in there:
            connection.execute(
                update(Node).where(Node.id == node_id).values(topics_count=Node.topics_count + many)
            )
