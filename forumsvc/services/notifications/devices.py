"""The devices that applications register for push messages. The forum keeps them and sends none."""

from datetime import datetime, timedelta
from functools import cache
from hashlib import sha256
from typing import Any

from sqlalchemy import Insert, bindparam, select
from sqlalchemy.orm import Session, aliased

from ...db.expired_rows import ExpiredRows
from ...db.statements import delete_of, delete_row, execute, insert_of
from ...models import Device, DevicePlatform

MOST = 20
"""How many devices a user has; a further one takes the place of the one silent longest."""
KEEP = timedelta(days=90)
"""How long a device is kept whose application is not opened."""


def register(
    db: Session, actor_id: int, now: datetime, platform: DevicePlatform, token: str
) -> None:
    """Register a device, or renew its time.

    It is the device of whoever uses its application now: nobody else is reached there any more.
    """
    values = {
        "user_id": actor_id,
        "platform": str(platform),
        "token": token,
        "token_hash": _hash(platform, token),
        "last_active_at": now,
    }
    execute(db, _upsert(db.get_bind().dialect.name), values)
    execute(db, _DELETE_SURPLUS, {"owner_id": actor_id})


@cache
def _upsert(dialect: str) -> Insert:
    names = ("user_id", "platform", "token", "token_hash", "last_active_at")
    statement = insert_of(Device, dialect).values({name: bindparam(name) for name in names})
    return statement.on_conflict_do_update(
        index_elements=[Device.token_hash],
        set_={name: statement.excluded[name] for name in ("user_id", "last_active_at")},
    )


_own = aliased(Device, name="own")
_NEWEST = (
    select(_own.id)
    .where(_own.user_id == bindparam("owner_id"))
    .order_by(_own.last_active_at.desc(), _own.id.desc())
    .limit(MOST)
)
_DELETE_SURPLUS: Any = delete_of(Device).where(
    Device.user_id == bindparam("owner_id"), Device.id.not_in(_NEWEST)
)


def unregister(db: Session, actor_id: int, platform: DevicePlatform, token: str) -> None:
    """Forget a device if it is the user's; one that is not changes nothing."""
    delete_row(db, Device, user_id=actor_id, token_hash=_hash(platform, token))


def forget(db: Session, user_id: int) -> None:
    """Forget all devices of a user."""
    db.execute(delete_of(Device).where(Device.user_id == user_id))


def expired() -> ExpiredRows:
    """Return the devices whose application was not opened for `KEEP`."""
    return ExpiredRows(Device, lambda now: [Device.last_active_at <= now - KEEP])


def _hash(platform: DevicePlatform, token: str) -> str:
    return sha256(f"{platform}:{token}".encode()).hexdigest()
