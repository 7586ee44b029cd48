"""Comparing two forums, each a database or a dump, row by row and in any order."""

import json
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path

from sqlalchemy import Table, text

from ..db.engine import Database
from .archive import Archive
from .errors import DumpError
from .fields import fields_of, read_row
from .snapshot import Snapshot, is_current, open_snapshot
from .tables import dumped_columns, dumped_tables

Lines = Iterator[tuple[int, bytes]]

_PARTS = 256


@dataclass(frozen=True)
class Side:
    """One of the two. secrets: whether it has them; lines: returns the numbered rows of a table.

    database: what no other database has, however it is addressed; None: a dump.
    """

    name: str
    secrets: bool
    lines: Callable[[Table], Lines]
    database: tuple[object, ...] | None = None


@dataclass(frozen=True)
class Compared:
    """The result for a table. Numbers of rows and checksums of the first and of the second.

    only: how many rows the one has and the other has not; a changed row is one of each.
    """

    table: str
    rows: tuple[int, int]
    checksums: tuple[str, str]
    only: tuple[int, int]

    @property
    def is_same(self) -> bool:
        """Whether both have the same rows."""
        return self.only == (0, 0)


@contextmanager
def open_database_side(name: str, database: Database) -> Iterator[Side]:
    """Open a snapshot of a database for `compare`; the service may run meanwhile.

    Raises DumpError where its schema is not that of this code.
    """
    if not is_current(database):
        raise DumpError(f"{name}: the database is not at the revision of this code.")
    with open_snapshot(database) as snapshot:
        yield Side(name, True, partial(_snapshot_lines, snapshot), _identity(database))


def _identity(database: Database) -> tuple[object, ...]:
    """Return the file of an SQLite database, or the server's start and the database in it.

    A PostgreSQL server and its physical copy differ in their start only.
    """
    with database.reads.connect() as db:
        if not database.is_sqlite:
            query = text("SELECT pg_postmaster_start_time(), current_database()")
            return tuple(db.execute(query).one())
        file = Path(db.execute(text("PRAGMA database_list")).one().file).stat()
        return file.st_dev, file.st_ino


def open_dump_side(name: str, path: Path) -> Side:
    """Return a dump, whose digests are checked first, for `compare`. Raises DumpError."""
    archive = Archive(path)
    archive.check_tables()
    return Side(name, archive.manifest.secrets, lambda table: archive.lines(table.name))


def compare(first: Side, second: Side) -> Iterator[Compared]:
    """Yield the result for each table that both may have; see `left_out`.

    A table is read a second time where it differs. Raises DumpError for a row that no load takes.
    """
    secrets = first.secrets and second.secrets
    for table in dumped_tables(secrets=secrets):
        names = [column.name for column in dumped_columns(table, secrets=secrets)]
        sides = [(side, table, names) for side in (first, second)]
        (rows, checksum), (other_rows, other_checksum) = (_checksum(*side) for side in sides)
        only = (0, 0)
        if (rows, checksum) != (other_rows, other_checksum):
            only = _count_differing(*(_digests(*side) for side in sides))
        yield Compared(table.name, (rows, other_rows), (checksum, other_checksum), only)


def left_out(first: Side, second: Side) -> list[str]:
    """Return the tables and columns that are not compared, because one of both has no secrets."""
    if first.secrets and second.secrets:
        return []
    content = {table.name for table in dumped_tables(secrets=False)}
    listed = []
    for table in dumped_tables(secrets=True):
        if table.name not in content:
            listed.append(table.name)
            continue
        names = {column.name for column in dumped_columns(table, secrets=False)}
        columns = (column.name for column in dumped_columns(table, secrets=True))
        listed += [f"{table.name}.{name}" for name in columns if name not in names]
    return listed


def _snapshot_lines(snapshot: Snapshot, table: Table) -> Lines:
    number = 0
    for block in snapshot.lines(table, secrets=True):
        for line in block.split(b"\n")[:-1]:
            number += 1
            yield number, line


def _digests(side: Side, table: Table, names: list[str]) -> Iterator[int]:
    """Yield a digest of each row, of 128 bits, from these columns."""
    fields = fields_of(table, secrets=side.secrets)
    for number, line in side.lines(table):
        try:
            row = read_row(line, fields)
        except DumpError as error:
            raise DumpError(f"{side.name}: {table.name} row {number}: {error}.") from None
        values = json.dumps([row[name] for name in names], sort_keys=True)
        yield int.from_bytes(blake2b(values.encode(), digest_size=16).digest())


def _checksum(side: Side, table: Table, names: list[str]) -> tuple[int, str]:
    """Return the number of rows, and the sum of their digests: it depends on no order."""
    rows = total = 0
    for digest in _digests(side, table, names):
        rows += 1
        total += digest
    return rows, f"{total % 2**128:032x}"


def _count_differing(first: Iterator[int], second: Iterator[int]) -> tuple[int, int]:
    """Return how many digests only the first has, and how many only the second.

    Of each digest 64 bits are kept, in many parts, so that ten million rows fit into 160 MB.
    """
    parts = [[array("Q") for _ in range(_PARTS)] for _ in range(2)]
    for part, digests in zip(parts, (first, second), strict=True):
        for digest in digests:
            part[digest % _PARTS].append(digest >> 64)
    only = [0, 0]
    for item, other in zip(*parts, strict=True):
        a, b = Counter(item), Counter(other)
        only[0] += (a - b).total()
        only[1] += (b - a).total()
    return only[0], only[1]
