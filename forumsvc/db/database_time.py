"""The clock of the database, which all hosts that share it agree on."""

from typing import Any

from sqlalchemy import BigInteger
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement


class database_time(FunctionElement[int]):  # noqa: N801 - as SQLAlchemy names functions
    """Milliseconds since 1970 by the clock of the database, at the time of the statement."""

    name = "database_time"
    type = BigInteger()
    inherit_cache = True


@compiles(database_time, "postgresql")
def _postgresql(element: Any, compiler: SQLCompiler, **keywords: Any) -> str:
    return "(extract(epoch FROM statement_timestamp()) * 1000)::bigint"


@compiles(database_time, "sqlite")
def _sqlite(element: Any, compiler: SQLCompiler, **keywords: Any) -> str:
    return "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
