"""What models declare beside their columns: dumps, erasures and exports are made of it.

`__dump__`, of every model: the part of a dump that its rows belong to.
`__erasure__`, of every model with a column that refers to `users`: what an erasure does, by column.
The first one names the owner of the row.
`__export__`, of some: the file of their rows in the export of the owner's data.
"""

from collections.abc import Iterator, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, NamedTuple

from ..db.base import Base


class Part(Enum):
    """CONTENT: in every dump; SECRET: only in one with secrets; LEFT_OUT: in none."""

    CONTENT = "content"
    SECRET = "secret"  # noqa: S105 - no password
    LEFT_OUT = "left out"


class Dump(NamedTuple):
    """The part of a dump that a table belongs to, and why."""

    part: Part
    why: str


CONTENT = Dump(Part.CONTENT, "what people wrote, chose and decided")
SECRET = {"dump": "secret"}
"""`info=` of a column that is only in a dump with secrets."""
RENDERED = {"dump": "rendered"}
"""`info=` of the HTML of posts: as SECRET, and a load takes it only where told to trust it."""
DERIVED = {"dump": "derived"}
"""`info=` of a column that a load makes itself, or that belongs to the running database."""


class Erasure(Enum):
    """What an erasure does with the rows in which a column names the erased person.

    DELETE: it deletes them; SPECIAL: it runs the step that `accounts.erasure.steps` has for the
    column; CHOICE: what was chosen for the posts; KEEP: nothing, the id of an erased account stays.
    """

    DELETE = 1
    SPECIAL = 2
    CHOICE = 3
    KEEP = 4


DELETE, SPECIAL, CHOICE, KEEP = Erasure


def by_column(**erasures: Erasure) -> Mapping[str, Erasure]:
    """Return the value of `__erasure__`. erasures: by the names of the columns."""
    return MappingProxyType(erasures)


class Export(NamedTuple):
    """The file of a table in the export of a person's data.

    file: its name without `.json`; english, chinese: its line and its word in the README; columns:
    their names, beside the id, separated by blanks; none where `queries.personal_data` has the
    SELECT, because it joins another table.
    """

    file: str
    english: str
    chinese: str
    columns: str = ""


def all_models() -> list[Any]:
    """Return all models, each after those that it refers to."""
    models = {mapper.local_table: mapper.class_ for mapper in Base.registry.mappers}
    return [models[table] for table in Base.metadata.sorted_tables]


def declared(name: str) -> Iterator[tuple[Any, Any]]:
    """Yield each model that has a declaration, and its value, in the order of `all_models`."""
    yield from ((item, getattr(item, name)) for item in all_models() if hasattr(item, name))
