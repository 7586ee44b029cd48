"""The normal forms of people's names, made anew after an upgrade by which they are others."""

from sqlalchemy import select

from ...cache.invalidation import update_columns
from ...db.engine import Database
from ...models import User
from ...queries.id_ranges import id_ranges
from ...search.normal_form import name_key

_RANGE = 100
"""Ids whose names are read, and users that are locked, at a time."""


def refresh(database: Database) -> None:
    """Store the normal form of each name that has another; a later run continues."""
    with database.reads.connect() as reads:
        for first, last in id_ranges(reads, User, _RANGE):
            named = select(User.id, User.name, User.name_key).where(
                User.id.between(first, last), User.name != ""
            )
            named = named.order_by(User.id)  # in which users are locked everywhere
            outdated = [
                user for user in reads.execute(named) if name_key(user.name) != user.name_key
            ]
            if not outdated:
                continue
            with database.session.begin() as db:
                for user in outdated:
                    # Who saves another name meanwhile stores its normal form, too.
                    has_name = (User.id == user.id, User.name == user.name)
                    values = update_columns(User, name_key=name_key(user.name))
                    db.execute(values.where(*has_name))
