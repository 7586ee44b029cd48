"""Which tables and columns a dump has, and why the others are not in it."""

from collections.abc import Iterator
from enum import Enum
from typing import Any

from sqlalchemy import Column, Table, UniqueConstraint

from ..models import Base


class Part(Enum):
    """CONTENT: in every dump; SECRET: only in one with secrets; LEFT_OUT: in none."""

    CONTENT = "content"
    SECRET = "secret"  # noqa: S105 - no password
    LEFT_OUT = "left out"


_CONTENT = (
    *("users", "user_follows", "user_blocks", "follow_notices", "sections", "nodes", "topics"),
    *("replies", "topic_likes", "reply_likes", "topic_follows", "favorites", "notifications"),
    *("photos", "oauth_clients", "reports", "reviews", "restrictions", "held_posts", "sweeps"),
    *("swept_posts", "access_blocks", "audit_log"),
)
_SECRET = {
    "browser_sessions": "who is logged in",
    "oauth_tokens": "who is logged in",
    "oauth_codes": "log-ins that are under way",
    "login_addresses": "hashes of people's addresses",
    "post_networks": "hashes of people's networks",
    "webhooks": "their addresses often hold a secret, and a copy must not call them",
    "webhook_deliveries": "belong to the webhooks",
    "jobs": "a copy must not send the mails that wait",
    "events": "a copy must not tell others what happened before",
    "event_positions": "belong to the events",
}
_LEFT_OUT = {
    "login_failures": "counted for some minutes",
    "login_successes": "counted for some minutes",
    "idempotency_keys": "answers kept for a repeated request, for a day",
    "topic_words": "the search index, made anew",
    "reply_words": "the search index, made anew",
    "search_pending_reindex": "the state of the search index",
    "data_exports": "files of people's data, made again for who asks",
    "deployment": "the place of this database; a load makes another one",
    "last_backup": "of this database; a load makes another one",
    "hosts": "the machines that serve this database",
    "leases": "held by processes that run",
    "change_marks": "versions of cached pages; a load gives new ones",
}
PARTS: dict[str, tuple[Part, str]] = {
    **dict.fromkeys(_CONTENT, (Part.CONTENT, "what people wrote, chose and decided")),
    **{name: (Part.SECRET, reason) for name, reason in _SECRET.items()},
    **{name: (Part.LEFT_OUT, reason) for name, reason in _LEFT_OUT.items()},
}
"""The part and the reason of each table of the database."""

SECRET_COLUMNS = {"users": {"password_hash"}, "oauth_clients": {"secret_hash"}}
HTML_COLUMNS = frozenset({"body_html", "markup_version"})
"""Of posts. Only in a dump with secrets; a load takes them only where it is told to trust them."""
FORMER_COLUMNS = frozenset({"used_at"})
"""Of tables that had them once: a load leaves them out of a row of an older dump."""
DERIVED_COLUMNS = {
    "users": {"login_key", "email_key", "name_key"},
    "topics": {"version"},
    "events": {"xid"},
    "event_positions": {"xid"},
    "jobs": {"locked_until"},
}
"""What a load makes itself, and what belongs to the running database."""


def dumped_tables(*, secrets: bool) -> list[Table]:
    """Return the tables of a dump, each after those that it refers to."""
    parts = {Part.CONTENT, Part.SECRET} if secrets else {Part.CONTENT}
    return [table for table in Base.metadata.sorted_tables if PARTS[table.name][0] in parts]


def dumped_columns(table: Table, *, secrets: bool) -> Iterator[Column[object]]:
    """Yield the columns of a table that a dump has."""
    hidden = set(DERIVED_COLUMNS.get(table.name, ()))
    if not secrets:
        hidden |= SECRET_COLUMNS.get(table.name, set()) | HTML_COLUMNS
    yield from (column for column in table.columns if column.name not in hidden)


def is_numbered(table: Table) -> bool:
    """Return whether the database gives the rows of a table their ids."""
    return [column.name for column in table.primary_key] == ["id"]


def unique_columns(table: Table) -> list[list[str]]:
    """Return the sets of columns whose values are different in each row of a table."""
    keys: list[Any] = [one for one in table.constraints if isinstance(one, UniqueConstraint)]
    keys += [one for one in table.indexes if one.unique and not _is_partial(one)]
    return sorted([column.name for column in one.columns] for one in [table.primary_key, *keys])


def _is_partial(index: Any) -> bool:
    return any(options.get("where") is not None for options in index.dialect_options.values())
