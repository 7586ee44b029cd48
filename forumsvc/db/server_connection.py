"""A connection to PostgreSQL, by psycopg."""

from typing import Any

import psycopg


class ServerConnection(psycopg.Connection[Any]):
    """A connection to PostgreSQL.

    can_prepare: whether a prepared statement can be executed later.
    """

    can_prepare = True
