"""Jobs: what the background worker is to do, once or again and again."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import JSON, Index, Integer, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, PrimaryKey, Timestamp, UtcDateTime, one_of, open_word
from .declarations import DERIVED, Dump, Part


class JobKind(StrEnum):
    """What is to be done."""

    MAIL = "mail"
    """Send an email. The key is the id of who gets it, null where only the address is known."""
    NOTIFICATION_MAIL = "notification_mail"
    """Send an email about what happened. The key is the id of who gets it, a colon, and the id of
    the topic, 0 without one; there is one job at most, and its `finished_at` is the last email."""
    NOTIFY = "notify"
    """Notify the followers of a post. The key is the id of the topic."""
    DELIVER = "deliver"
    """Send a webhook what is due. The key is its id; there is one job at most."""
    SWEEP = "sweep"
    """Hide, delete or restore the posts of a user, whose id is the key."""
    INDEX_TOPIC = "index_topic"
    """Make the tokens of a topic anew. The key is its id; there is one job at most."""
    EVENT = "event"
    """Handle an event again that a consumer could not handle, whose name is the key."""
    EXPORT = "export"
    """Make the file of an export of a user's data, whose id is the key."""
    ACCOUNT = "account"
    """Go on with the erasure or the renaming of an account, whose id is the key."""
    PLACES = "places"
    """Give people places in topics of before there were places."""
    BACKUP = "backup"
    """Make a backup by the plan of the settings."""
    PERIODIC = "periodic"
    """Do a piece of periodic work, whose name is the key, and be due again after its interval."""
    CONSUME = "consume"
    """Hand events to a consumer, whose name is the key, for as long as the process lives."""


ONCE = text("kind IN ('deliver', 'index_topic', 'periodic', 'consume', 'notification_mail')")
"""The kinds of which there is one job at most with a key."""
STANDING = frozenset({JobKind.PERIODIC, JobKind.CONSUME})
"""The kinds whose jobs are always there, and are never done nor given up."""


class JobState(StrEnum):
    """WAITING: to be done at `due_at`; DONE: kept as a log; FAILED: given up, kept to be seen."""

    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"


class Job(Base):
    """Something to do behind the requests. `services.jobs` has the rules."""

    __tablename__ = "jobs"
    __dump__ = Dump(Part.SECRET, "a copy must not send the mails that wait")

    id: Mapped[PrimaryKey]
    kind: Mapped[str] = open_word(JobKind, 20)
    key: Mapped[str | None] = mapped_column(String(40))
    """What it is about, such as the id of a user."""
    state: Mapped[str] = mapped_column(String(10), server_default=JobState.WAITING)
    due_at: Mapped[Timestamp]
    locked_until: Mapped[datetime | None] = mapped_column(UtcDateTime, info=DERIVED)
    """Until then a process works on it; afterwards that process is taken for dead."""
    attempts: Mapped[int] = mapped_column(Integer, server_default="0")
    """Since something of it was done last; one that is under way counts."""
    data: Mapped[dict[str, object]] = mapped_column(JSON)
    """What the work needs, and how far it is; no secrets."""
    error: Mapped[str | None] = mapped_column(Text)
    """Why an attempt failed, perhaps one before the last."""
    created_at: Mapped[Timestamp]
    finished_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When it was done or given up."""

    __table_args__ = (
        one_of("state", JobState),
        Index("ix_jobs_state_kind_due_at", "state", "kind", "due_at"),
        Index("ix_jobs_kind_key", "kind", "key"),
        Index("uq_jobs_once", "kind", "key", unique=True, sqlite_where=ONCE, postgresql_where=ONCE),
        Index("ix_jobs_finished_at", "finished_at"),
        {"sqlite_autoincrement": True},
    )
