"""Whether this service may send emails and webhooks: a copy of its database must not.

A database has a place: of PostgreSQL the cluster and the number of the database in it, of SQLite
the file's path and inode. A standby that is promoted keeps it; what `pg_restore`, `cp` or a restore
make has another one. When something is first sent, the place and the host name of `site.url` are
written down. Where they differ afterwards, what is to be sent waits until `adopt`.
"""

from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import String, column, select, text
from sqlalchemy.orm import Session

from ..clock import rfc3339
from ..db.execution import ReadConnection, is_sqlite, row, rows
from ..db.statements import insert_of, insert_or_ignore
from ..models import Deployment

_ID = 1
_SELECT: Any = select(Deployment.host, Deployment.place, Deployment.copied_at)
_FILE: Any = select(column("file", String)).select_from(
    text("pragma_database_list WHERE name = 'main'")
)
_CLUSTER: Any = select(column("place", String)).select_from(
    text(
        "(SELECT (SELECT system_identifier FROM pg_control_system()) || '/' || oid AS place "
        "FROM pg_database WHERE datname = current_database()) AS found"
    )
)


def may_send(db: Session, site_url: str) -> bool:
    """Return whether this service may send; write it down where nobody has sent before.

    site_url: the setting `site.url`.
    """
    if row(db, _SELECT, {}) is None:
        deployment = {"host": _host(site_url), "place": _place(db), "copied_at": None}
        insert_or_ignore(db, Deployment, id=_ID, **deployment)
    return why_it_sends_nothing(db, site_url) is None


def why_it_sends_nothing(db: ReadConnection, site_url: str) -> str | None:
    """Return why this service sends nothing, a sentence; None if it sends."""
    known = row(db, _SELECT, {})
    if known is None:
        return None
    if known.copied_at is not None:
        return f"this database was restored as a copy at {rfc3339(known.copied_at)}"
    host = _host(site_url)
    if known.host not in ("", host):
        return f"this database belongs to {known.host}, and site.url names {host or 'no host'}"
    if known.place != _place(db):
        return "this database is a copy: it is at another place than when something was last sent"
    return None


def mark_as_copy(db: Session, now: datetime) -> None:
    """Let nobody send from this database until `adopt`."""
    _write(db, host="", place="", copied_at=now)


def adopt(db: Session, site_url: str) -> None:
    """Make this database, in its place and under this URL, the one that sends."""
    _write(db, host=_host(site_url), place=_place(db), copied_at=None)


def _write(db: Session, **values: Any) -> None:
    insert = insert_of(Deployment, db.get_bind().dialect.name).values(id=_ID, **values)
    db.execute(insert.on_conflict_do_update(index_elements=[Deployment.id], set_=values))


def _host(site_url: str) -> str:
    return urlsplit(site_url).hostname or ""


def _place(db: ReadConnection) -> str:
    if not is_sqlite(db):
        return str(rows(db, _CLUSTER, {})[0].place)
    file = str(rows(db, _FILE, {})[0].file or "")
    return f"{Path(file).stat().st_ino} {file}" if file else ""
