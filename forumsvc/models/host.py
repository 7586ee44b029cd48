"""Hosts: what each service of this database is like, so that differences can be found."""

from sqlalchemy import JSON, BigInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base
from .declarations import Dump, Part


class Host(Base):
    """A host, as its background worker last wrote it down."""

    __tablename__ = "hosts"
    __dump__ = Dump(Part.LEFT_OUT, "the machines that serve this database")

    name: Mapped[str] = mapped_column(String(500), primary_key=True)
    """The name of the machine and the folder of the ini file."""
    started_at: Mapped[int] = mapped_column(BigInteger)
    """When the worker began; as `seen_at`, in milliseconds since 1970 by the database's clock."""
    seen_at: Mapped[int] = mapped_column(BigInteger)
    clock_offset: Mapped[int] = mapped_column(BigInteger)
    """Milliseconds by which the clock of the machine is ahead of the database's."""
    salt: Mapped[str] = mapped_column(String(64))
    secret_digest: Mapped[str] = mapped_column(String(64))
    """HMAC-SHA256 of the salt, with `session.secret` as its key."""
    version: Mapped[str] = mapped_column(String(100))
    build: Mapped[str] = mapped_column(String(64))
    """A digest of the code and of the settings that answers depend on."""
    settings: Mapped[dict[str, str]] = mapped_column(JSON)
    """Settings that have to be the same on all hosts; none is a secret."""
