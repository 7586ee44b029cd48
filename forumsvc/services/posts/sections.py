"""Sections, the groups of nodes, and what the names and the order of both must be."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from ...db.statements import delete_of, insert_row, lock_number, update_of
from ...errors import Conflict, Invalid, NotFound
from ...models import AdminAction, Node, Section
from ...text.ids import MAX_ID
from ...text.messages import Message
from ...text.unicode_forms import INVISIBLE, normalized
from ..moderation import actions
from ..moderation.actions import Action
from .short_texts import validate_line

MAX_NAME = 100
MAX_SORT = 2**31 - 1
_NAMES = {Node: 2**62, Section: 2**62 + 1}
"""What is locked while names are compared; those of photos are less."""


def create(db: Session, actor_id: int | None, now: datetime, name: str, *, sort: int = 0) -> int:
    """Create a section and return its id.

    actor_id: the administrator, None at the command line; sort: its weight, the largest first.
    Raises Invalid for a name or number that is not valid, and if the name exists.
    """
    name = check_name("name", name)
    check_sort(sort)
    check_free(db, Section, name)
    insert_row(db, Section, name=name, sort=sort)
    section_id = db.scalars(select(Section.id).where(Section.name == name)).one()
    details = {"section_id": section_id, "name": name}
    actions.record(db, Action(AdminAction.SECTION_CREATED, actor_id, now, details=details))
    return section_id


def find_or_create(db: Session, actor_id: int | None, now: datetime, name: str) -> int | None:
    """Return the id of the section with this name, created if it is new; None for no name."""
    if not name.strip():
        return None
    name = check_name("section", name)
    found = _same_named(db, Section, name)
    return found.id if found else create(db, actor_id, now, name)


def edit(
    db: Session, actor_id: int | None, now: datetime, section_id: int, values: Mapping[str, Any]
) -> str:
    """Change a section and return its name.

    values: what changes, `name` and `sort`. Raises as `create` does, and NotFound.
    """
    row = _lock(db, section_id)
    new = dict(values)
    if "name" in new:
        new["name"] = check_name("name", new["name"])
    if "sort" in new:
        check_sort(new["sort"])
    details = changes(row, new)
    if details is None:
        return str(row.name)
    name = str(new.get("name", row.name))
    if "name" in new:
        check_free(db, Section, name, section_id)
    db.execute(update_of(Section).where(Section.id == section_id).values(**new))
    details = {"section_id": section_id, "name": name, **details}
    actions.record(db, Action(AdminAction.SECTION_UPDATED, actor_id, now, details=details))
    return name


def delete(db: Session, actor_id: int | None, now: datetime, section_id: int) -> None:
    """Delete a section. Raises NotFound, or Conflict if it has nodes."""
    name = _lock(db, section_id).name
    if db.scalar(select(exists().where(Node.section_id == section_id))):
        raise Conflict(
            Message("The section '%(name)s' has nodes: move them to another one first.", name=name)
        )
    db.execute(delete_of(Section).where(Section.id == section_id))
    details = {"section_id": section_id, "name": name}
    actions.record(db, Action(AdminAction.SECTION_DELETED, actor_id, now, details=details))


def check(db: Session, section_id: int | None) -> None:
    """Raise Invalid if there is no such section; else it stays until the transaction ends."""
    if section_id is None:
        return
    here = select(Section.id).where(Section.id == section_id)
    if db.scalar(here.with_for_update(read=True, key_share=True)) is None:
        raise Invalid("section_id", Message("must be the id of a section"))


def check_name(field: str, text: str) -> str:
    """Return the name of a node or section as it is stored. Raises Invalid for `field`."""
    return validate_line(field, text, MAX_NAME, shortest=1)


def check_sort(sort: int) -> int:
    """Return a weight. Raises Invalid for one that the database cannot store."""
    if abs(sort) > MAX_SORT:
        limits = {"minimum": -MAX_SORT, "maximum": MAX_SORT}
        raise Invalid(
            "sort", Message("must be an integer from %(minimum)d to %(maximum)d", **limits)
        )
    return sort


def check_free(
    db: Session, model: type[Node] | type[Section], name: str, row_id: int | None = None
) -> None:
    """Raise Invalid for a name that another row has, or that differs from one hardly to be seen.

    row_id: of the row that gets the name, None for a new one. Nobody else adds or renames any
    until the transaction ends. Names that were so alike before stay.
    """
    lock_number(db, _NAMES[model])
    found = _same_named(db, model, name, row_id)
    if found is not None:
        taken = Message("is taken: there is one named '%(name)s' already", name=found.name)
        raise Invalid("name", taken)


def changes(row: Any, new: dict[str, Any]) -> dict[str, Any] | None:
    """Leave in `new` what differs from a row, and return it for the log; None: nothing does.

    A summary may be long: the log says only that it changed.
    """
    for name in [name for name, value in new.items() if value == getattr(row, name)]:
        del new[name]
    if not new:
        return None
    short = [name for name in new if name != "summary"]
    before = {name: getattr(row, name) for name in short}
    after = {name: new[name] for name in short}
    return {"changed": sorted(new), "before": before, "after": after}


def _same_named(
    db: Session, model: type[Node] | type[Section], name: str, row_id: int | None = None
) -> Any:
    """Return id and name of another row with this name, case and blanks aside; None without one."""
    others = [row for row in db.execute(select(model.id, model.name)) if row.id != row_id]
    exact = [row for row in others if row.name == name]
    similar = [row for row in others if _key(row.name) == _key(name)]
    return next(iter([*exact, *similar]), None)


def _key(name: str) -> str:
    return "".join(normalized("NFKC", INVISIBLE.sub("", name)).casefold().split())


def _lock(db: Session, section_id: int) -> Any:
    """Return a section's row, locked against changes and new nodes. Raises NotFound."""
    query = select(Section.name, Section.sort).where(Section.id == section_id).with_for_update()
    row = db.execute(query).one_or_none() if 0 < section_id <= MAX_ID else None
    if row is None:
        raise NotFound(f"There is no section {section_id}.")
    return row
