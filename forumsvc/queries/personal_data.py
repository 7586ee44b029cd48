"""What the forum keeps of one person, in parts: the rows of an export of their data.

Of other people there are ids and logins, no texts. Passwords, tokens and hashes are no columns
here, nor what moderators noted for each other.
"""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Select, bindparam, select

from ..db.execution import SqlConnection
from ..models import OAuthClient, OAuthToken, Report, Review, User, UserBlock, UserFollow
from ..models.declarations import Export, declared

BATCH_SIZE = 200
"""Rows that are in memory at once."""


def _of(owner: Any, *columns: Any) -> Select[Any]:
    """Return a SELECT of a person's next rows of a table, in the order of their ids.

    owner: the column with the person's id. Parameters: user_id, and last_id, where it begins.
    """
    id_ = owner.class_.id
    is_next = (owner == bindparam("user_id"), id_ > bindparam("last_id"))
    return select(id_, *columns).where(*is_next).order_by(id_).limit(BATCH_SIZE)


def _of_people(relation: Any) -> Select[Any]:
    """Return a SELECT of the people whom somebody follows or blocks."""
    columns = (relation.target_id.label("user_id"), User.login, relation.created_at)
    return _of(relation.user_id, *columns).join(User, User.id == relation.target_id)


_JOINED: dict[str, Select[Any]] = {
    "followed_users": _of_people(UserFollow),
    "blocked_users": _of_people(UserBlock),
    "reports": _of(
        Report.reporter_id,
        *(Report.category, Report.comment, Report.state, Review.kind, Review.user_id),
        *(Review.topic_id, Review.reply_id, Report.created_at, Report.resolved_at),
    ).join(Review, Review.id == Report.review_id),
    "applications": _of(
        OAuthToken.user_id,
        *(OAuthClient.name.label("application"), OAuthToken.scope, OAuthToken.issued_by),
        *(OAuthToken.created_at, OAuthToken.access_expires_at),
        *(OAuthToken.refresh_expires_at, OAuthToken.revoked_at),
    ).join(OAuthClient, OAuthClient.id == OAuthToken.client_id),
}
"""The SELECTs of the files that show something of another table, too."""


_PROFILE, _PHOTOS = "profile", "photos"
_FIRST = (
    *(_PROFILE, "topics", "replies", "held_posts", "liked_topics", "liked_replies", "favorites"),
    *("followed_topics", "followed_users", "blocked_users", "notifications", "reports"),
    *("restrictions", "sessions", "applications", "own_applications"),
)
"""The first files, in their order; then come all others by name, and the photos."""


def _exports() -> dict[str, tuple[Export, Select[Any]]]:
    by_file = {one.file: (one, _select(model, one)) for model, one in declared("__export__")}
    others = sorted(by_file.keys() - {*_FIRST, _PHOTOS})
    return {file: by_file[file] for file in (*_FIRST, *others, _PHOTOS)}


def _select(model: Any, export: Export) -> Select[Any]:
    columns = [getattr(model, name) for name in export.columns.split()]
    if export.file == _PROFILE:
        return select(model.id, *columns).where(model.id == bindparam("user_id"))
    owner = next(iter(model.__erasure__))
    return _of(getattr(model, owner), *columns) if columns else _JOINED[export.file]


_EXPORTS = _exports()
EXPORTS = [export for export, _ in _EXPORTS.values()]
"""All files of an export, in their order."""
PARTS = {file: part for file, (_, part) in _EXPORTS.items() if file not in (_PROFILE, _PHOTOS)}
"""All parts but the account and the photos, by the names of their files; each a SELECT of `_of`."""
PHOTOS = _EXPORTS[_PHOTOS][1]
_SELECT_ACCOUNT = _EXPORTS[_PROFILE][1]


def account(db: SqlConnection, user_id: int) -> dict[str, Any]:
    """Return the columns of a user's account and profile. Raises NoResultFound without a user."""
    return dict(db.execute(_SELECT_ACCOUNT, {"user_id": user_id}).one()._mapping)


def rows_of(db: SqlConnection, part: Select[Any], user_id: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of a part, by one SELECT for each `BATCH_SIZE` of them."""
    last_id, size = 0, BATCH_SIZE
    while size == BATCH_SIZE:
        batch = db.execute(part, {"user_id": user_id, "last_id": last_id}).all()
        for row in batch:
            yield dict(row._mapping)
            last_id = row.id
        size = len(batch)
