"""The audit log: what moderators and administrators did, and what was done automatically."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import DDL, CheckConstraint, Index, String, Text, event
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import (
    Base,
    BigId,
    PrimaryKey,
    Timestamp,
    UtcDateTime,
    one_of,
    open_word,
    partial_index,
)
from .declarations import CONTENT
from .event import EventType


class AdminAction(StrEnum):
    """What the log has beside the types of events."""

    USER_ADDED = "user.added"
    USER_EXPORTED = "user.exported"
    USER_PASSWORD_SET = "user.password_set"  # noqa: S105 - no password
    USER_EMAIL_CONFIRMED = "user.email_confirmed"
    USER_PASSWORD_LINK = "user.password_link"  # noqa: S105 - no password
    USER_EDITED = "user.edited"
    USER_ERASED = "user.erased"
    USER_CLOSURE_REQUESTED = "user.closure_requested"
    USER_CLOSURE_WITHDRAWN = "user.closure_withdrawn"
    CLIENT_CREATED = "client.created"
    CLIENT_DELETED = "client.deleted"
    TOKEN_ISSUED = "token.issued"  # noqa: S105 - no token
    TOKEN_REVOKED = "token.revoked"  # noqa: S105 - no token
    WEBHOOK_CREATED = "webhook.created"
    WEBHOOK_UPDATED = "webhook.updated"
    WEBHOOK_DELETED = "webhook.deleted"
    NODE_CREATED = "node.created"
    NODE_UPDATED = "node.updated"
    NODE_DELETED = "node.deleted"
    SECTION_CREATED = "section.created"
    SECTION_UPDATED = "section.updated"
    SECTION_DELETED = "section.deleted"
    SITE_UPDATED = "site.updated"
    PHOTO_DELETED = "photo.deleted"
    POSTS_SWEPT = "posts.swept"
    VERSION_HIDDEN = "version.hidden"
    ACCESS_BLOCK_CREATED = "access_block.created"
    ACCESS_BLOCK_UPDATED = "access_block.updated"
    ACCESS_BLOCK_DELETED = "access_block.deleted"
    SETTINGS_CHANGED = "settings.changed"
    LOG_TRIMMED = "log.trimmed"


class Via(StrEnum):
    """How it was done: by the API, a page, the command line, or by the service itself."""

    API = "api"
    PAGE = "page"
    CLI = "cli"
    AUTO = "auto"


class Visibility(StrEnum):
    """Who sees a record: everybody where the log is public, moderators, or admins alone."""

    PUBLIC = "public"
    STAFF = "staff"
    ADMIN = "admin"


class AuditRecord(Base):
    """Something that was done, inserted in the transaction that did it.

    Triggers refuse to change a record, and to delete one that no later record of `log.trimmed`
    covers. No foreign keys: a record outlives what it is about.
    """

    __tablename__ = "audit_log"
    __dump__ = CONTENT

    id: Mapped[PrimaryKey]
    created_at: Mapped[Timestamp]
    action: Mapped[str] = open_word((*EventType, *AdminAction), 40)
    visibility: Mapped[str] = mapped_column(String(10))
    via: Mapped[str] = mapped_column(String(10))
    actor_id: Mapped[int | None] = mapped_column(BigId)
    """The user who did it; null for what the service did itself, or a command without `--as`."""
    user_id: Mapped[int | None] = mapped_column(BigId)
    """The user whom it concerns: the author of a post."""
    topic_id: Mapped[int | None] = mapped_column(BigId)
    reply_id: Mapped[int | None] = mapped_column(BigId)
    node_id: Mapped[int | None] = mapped_column(BigId)
    reason: Mapped[str | None] = mapped_column(Text)
    details: Mapped[str | None] = mapped_column(Text)
    """What else belongs to it, as a small JSON object; never an email address or a secret."""
    request_id: Mapped[str | None] = mapped_column(String(100))
    trimmed_before: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """In a record of `log.trimmed`: older records may be deleted."""

    __table_args__ = (
        one_of("via", Via),
        one_of("visibility", Visibility),
        CheckConstraint("trimmed_before <= created_at", name="trimmed_before"),
        Index("ix_audit_log_created_at", "created_at"),
        Index("ix_audit_log_visibility_id", "visibility", "id"),
        Index("ix_audit_log_action_id", "action", "id"),
        Index("ix_audit_log_actor_id_id", "actor_id", "id"),
        Index("ix_audit_log_user_id_id", "user_id", "id"),
        Index("ix_audit_log_topic_id_id", "topic_id", "id"),
        partial_index(
            "ix_audit_log_trimmed_before", "trimmed_before", only="trimmed_before IS NOT NULL"
        ),
        {"sqlite_autoincrement": True},
    )


_REFUSED = "the audit log cannot be changed"
SQLITE_GUARDS = (
    f"""
    CREATE TRIGGER audit_log_update BEFORE UPDATE ON audit_log BEGIN
        SELECT RAISE(ABORT, '{_REFUSED}');
    END
    """,
    f"""
    CREATE TRIGGER audit_log_delete BEFORE DELETE ON audit_log
    WHEN NOT EXISTS (SELECT 1 FROM audit_log WHERE trimmed_before > old.created_at) BEGIN
        SELECT RAISE(ABORT, '{_REFUSED}');
    END
    """,  # noqa: S608 - our own text
)
POSTGRESQL_GUARDS = (
    f"""
    CREATE FUNCTION audit_log_guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF TG_OP = 'DELETE' THEN
            IF EXISTS (SELECT 1 FROM audit_log WHERE trimmed_before > old.created_at) THEN
                RETURN old;
            END IF;
        ELSIF TG_OP = 'TRUNCATE' THEN
            IF NOT EXISTS (SELECT 1 FROM audit_log) THEN
                RETURN NULL;
            END IF;
        END IF;
        RAISE EXCEPTION '{_REFUSED}';
    END $$
    """,  # noqa: S608 - our own text
    """
    CREATE TRIGGER audit_log_row BEFORE UPDATE OR DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION audit_log_guard()
    """,
    """
    CREATE TRIGGER audit_log_table BEFORE TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_guard()
    """,
)
"""The statements that let rows be inserted only."""

for _dialect, _guards in (("sqlite", SQLITE_GUARDS), ("postgresql", POSTGRESQL_GUARDS)):
    for _guard in _guards:
        _ddl = DDL(_guard.replace("%", "%%")).execute_if(dialect=_dialect)
        event.listen(AuditRecord.__table__, "after_create", _ddl)
