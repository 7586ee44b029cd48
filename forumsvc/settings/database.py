"""The settings of the database: its URL, its pools and its timeouts."""

from .setting import Setting
from .setting_types import BOOLEAN, DATABASE_URL, OPTIONAL_DATABASE_URL, integer, or_off, seconds

DATABASE: tuple[Setting, ...] = (
    Setting("sqlalchemy.url", DATABASE_URL, None, "the database", secret=True),
    Setting(
        "sqlalchemy.pooler",
        BOOLEAN,
        "false",
        "whether a PgBouncer answers under sqlalchemy.url; false where that is PostgreSQL itself",
    ),
    Setting(
        "sqlalchemy.direct_url",
        OPTIONAL_DATABASE_URL,
        "",
        "the database for the commands, not the service: past a PgBouncer, or as the owner of the "
        "tables; empty: sqlalchemy.url",
        secret=True,
    ),
    Setting(
        "sqlalchemy.pool_size",
        integer(1, 200, "connections"),
        "8",
        "connections of each process, in each of its pools for reads and for writes",
    ),
    Setting(
        "database.max_age_seconds",
        or_off(seconds(1, 604_800)),
        "3600",
        "age after which a connection to PostgreSQL is replaced before its next use",
    ),
    Setting(
        "database.connect_timeout_seconds",
        integer(2, 300),
        "5",
        "how long opening a connection to PostgreSQL may take",
    ),
    Setting(
        "database.tcp_keepalive_seconds",
        or_off(integer(1, 7200)),
        "30",
        "idle time after which TCP probes PostgreSQL's machine; 15 seconds without a response "
        "end the connection",
    ),
    Setting(
        "database.tcp_user_timeout_seconds",
        or_off(integer(1, 3600)),
        "10",
        "how long PostgreSQL's machine may leave what was sent unacknowledged",
    ),
    Setting(
        "database.lock_timeout_seconds",
        or_off(seconds(0.1, 3600)),
        "1.2",
        "how long a request waits for a lock (SQLite: for the write lock) before it is a 503; one "
        "that only reads a quarter of it. More than PostgreSQL's `deadlock_timeout` (1 s): else a "
        "deadlock is a 503, too, and not tried again",
    ),
    Setting(
        "database.statement_timeout_seconds",
        or_off(seconds(0.1, 86_400)),
        "30",
        "how long a statement of a request may run on PostgreSQL before it is a 503",
    ),
    Setting(
        "database.idle_transaction_timeout_seconds",
        or_off(seconds(1, 86_400)),
        "20",
        "how long PostgreSQL keeps a transaction of a request open that runs no statement; "
        "the locks of a host that froze are held for so long",
    ),
    Setting(
        "database.pool_timeout_seconds",
        seconds(0.1, 300),
        "2",
        "how long a request waits for a connection of a full pool before it is a 503",
    ),
)
