"""Adding and removing access blocks."""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from ...db.statements import delete_of, insert_or_ignore, update_of
from ...errors import Invalid, NotFound
from ...models import AccessBlock, AccessBlockKind, AccessBlockSeverity, AdminAction
from ...text.ids import MAX_ID
from ..moderation import actions
from ..moderation.actions import Action
from . import values


class Block(NamedTuple):
    """What is blocked, how, why, and until when; None: without an end."""

    kind: AccessBlockKind
    value: str
    severity: AccessBlockSeverity
    reason: str
    expires_at: datetime | None = None


def put(
    db: Session, actor_id: int | None, now: datetime, block: Block, *, force: bool = False
) -> tuple[int, bool]:
    """Block a network, an email address or a domain; return the id, and whether it is a new block.

    A block of the same kind and value gets the new severity, reason and end. actor_id: None at the
    command line; force: whether a network may hold the addresses of the machine itself. Raises
    Invalid for `value` or `expires_at`.
    """
    value = values.normalize(block.kind, block.value, allow_loopback=force)
    if block.expires_at is not None and block.expires_at <= now:
        raise Invalid("expires_at", "must be in the future")
    columns = {**block._replace(value=value)._asdict(), "by_id": actor_id}
    is_new = bool(insert_or_ignore(db, AccessBlock, **columns, created_at=now))
    same = update_of(AccessBlock).where(AccessBlock.kind == block.kind, AccessBlock.value == value)
    # Also of a new one, for its id.
    block_id: int = db.execute(same.values(columns).returning(AccessBlock.id)).scalar_one()
    action = AdminAction.ACCESS_BLOCK_CREATED if is_new else AdminAction.ACCESS_BLOCK_UPDATED
    _record(db, action, actor_id, now, block_id, block._replace(value=value), block.reason)
    return block_id, is_new


def remove(db: Session, actor_id: int | None, now: datetime, block_id: int) -> None:
    """Remove a block. actor_id: None at the command line. Raises NotFound."""
    possible_id = block_id if 0 < block_id <= MAX_ID else 0
    statement = delete_of(AccessBlock).where(AccessBlock.id == possible_id)
    columns = (AccessBlock.kind, AccessBlock.value, AccessBlock.severity)
    removed = db.execute(statement.returning(*columns)).first()
    if removed is None:
        raise NotFound(f"There is no access block {block_id}.")
    _record(db, AdminAction.ACCESS_BLOCK_DELETED, actor_id, now, block_id, removed)


def _record(
    db: Session,
    subject: AdminAction,
    actor_id: int | None,
    now: datetime,
    block_id: int,
    block: Any,
    reason: str | None = None,
) -> None:
    details = {"access_block_id": block_id, "kind": block.kind, "severity": block.severity}
    # The log cannot be changed, so it holds no email address.
    if block.kind != AccessBlockKind.EMAIL:
        details["value"] = block.value
    actions.record(db, Action(subject, actor_id, now, reason=reason, details=details))
