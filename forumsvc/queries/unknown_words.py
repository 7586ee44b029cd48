"""Finds values of open vocabularies that this version does not know: a newer one wrote them."""

from sqlalchemy import func, select

from ..db.execution import SqlConnection
from ..models import Base


def count(db: SqlConnection) -> dict[str, dict[str, int]]:
    """Return the number of rows by the unknown value, by `table.column` (see `db.base.open_word`).

    Columns without any are left out.
    """
    unknown = {}
    for table in Base.metadata.sorted_tables:
        for column in table.columns:
            if words := column.info.get("words"):
                grouped = select(column, func.count()).where(column.not_in(words)).group_by(column)
                if rows := db.execute(grouped.order_by(column)).all():
                    unknown[str(column)] = {row[0]: row[1] for row in rows}
    return unknown
