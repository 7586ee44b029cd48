"""Adding and removing access blocks."""

from datetime import datetime

from sqlalchemy.orm import Session

from ...db.statements import delete_of, insert_or_ignore, update_of
from ...errors import Invalid, NotFound
from ...ids import MAX_ID
from ...models import AccessBlock, AccessBlockKind, AccessBlockSeverity, AdminAction
from .. import deeds
from ..deeds import Deed
from . import values


def put(
    db: Session,
    actor_id: int | None,
    now: datetime,
    *,
    kind: AccessBlockKind,
    value: str,
    severity: AccessBlockSeverity,
    reason: str,
    expires_at: datetime | None = None,
    force: bool = False,
) -> tuple[int, bool]:
    """Block a network, an email address or a domain; return the id, and whether it is a new block.

    A block of the same kind and value gets the new severity, reason and end. actor_id: None at the
    command line; expires_at: None for no end; force: whether a network may hold the addresses of
    the machine itself. Raises Invalid for `value` or `expires_at`.
    """
    value = values.normalize(kind, value, allow_loopback=force)
    if expires_at is not None and expires_at <= now:
        raise Invalid("expires_at", "must be in the future")
    columns = {"severity": severity, "reason": reason, "by_id": actor_id, "expires_at": expires_at}
    key = {"kind": kind, "value": value}
    is_new = bool(insert_or_ignore(db, AccessBlock, **key, **columns, created_at=now))
    same = update_of(AccessBlock).where(AccessBlock.kind == kind, AccessBlock.value == value)
    # Also of a new one, for its id.
    block_id: int = db.execute(same.values(columns).returning(AccessBlock.id)).scalar_one()
    action = AdminAction.ACCESS_BLOCK_CREATED if is_new else AdminAction.ACCESS_BLOCK_UPDATED
    _log(db, action, actor_id, now, block_id, kind, value, severity=severity, reason=reason)
    return block_id, is_new


def remove(db: Session, actor_id: int | None, now: datetime, block_id: int) -> None:
    """Remove a block. actor_id: None at the command line. Raises NotFound."""
    possible_id = block_id if 0 < block_id <= MAX_ID else 0
    statement = delete_of(AccessBlock).where(AccessBlock.id == possible_id)
    columns = (AccessBlock.kind, AccessBlock.value, AccessBlock.severity)
    removed = db.execute(statement.returning(*columns)).first()
    if removed is None:
        raise NotFound(f"There is no access block {block_id}.")
    kind = AccessBlockKind(removed.kind)
    action = AdminAction.ACCESS_BLOCK_DELETED
    _log(db, action, actor_id, now, block_id, kind, removed.value, severity=removed.severity)


def _log(
    db: Session,
    action: AdminAction,
    actor_id: int | None,
    now: datetime,
    block_id: int,
    kind: AccessBlockKind,
    value: str,
    *,
    severity: str,
    reason: str | None = None,
) -> None:
    details = {"access_block_id": block_id, "kind": str(kind), "severity": str(severity)}
    # The log cannot be changed, so it holds no email address.
    if kind is not AccessBlockKind.EMAIL:
        details["value"] = value
    deeds.record(db, Deed(action, actor_id, now, reason=reason, details=details))
