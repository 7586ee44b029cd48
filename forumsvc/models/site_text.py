"""What administrators have set of the site: name, texts, color, logo, sign-up. One row at most."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from sqlalchemy import CheckConstraint, String
from sqlalchemy.orm import Mapped, mapped_column

from ..db.base import Base, BigId, EmptyText, Timestamp
from ..text.messages import Message
from .declarations import CONTENT

_MAX_MARKDOWN = 65_536


class SiteField(NamedTuple):
    """A text of the site: a column of `site_texts`, with a setting as its default.

    kind: `line`, `color`, `choice`, or Markdown: `markdown` of several lines, `inline` of one;
    in_log: whether the log shows it; of: the section of the setting, whose name is `OF.NAME`;
    choices: the words of a `choice`, with what each means.
    """

    name: str
    label: Message
    max_length: int
    kind: str = "line"
    in_log: bool = True
    of: str = "site"
    choices: Mapping[str, Message] = MappingProxyType({})

    @property
    def setting(self) -> str:
        return f"{self.of}.{self.name}"


class Registration(StrEnum):
    """Who may create an account by themselves."""

    CLOSED = "closed"
    OPEN = "open"
    APPROVAL = "approval"


_SIGN_UP = MappingProxyType(
    {
        Registration.CLOSED.value: Message("Only people who are invited have accounts."),
        Registration.OPEN.value: Message("Everybody can sign up."),
        Registration.APPROVAL.value: Message(
            "Everybody can sign up; a moderator approves each account."
        ),
    }
)

SITE_FIELDS = (
    SiteField("name", Message("Name"), 60),
    SiteField("tagline", Message("A sentence about the forum"), 200),
    SiteField("accent", Message("Color"), 7, "color"),
    SiteField("registration", Message("Sign-up"), 8, "choice", of="accounts", choices=_SIGN_UP),
    SiteField("about", Message("About"), _MAX_MARKDOWN, "markdown", in_log=False),
    SiteField("rules", Message("Rules"), _MAX_MARKDOWN, "markdown", in_log=False),
    SiteField("privacy", Message("Privacy"), _MAX_MARKDOWN, "markdown", in_log=False),
    SiteField("footer", Message("Line at the end of each page"), 500, "inline"),
)
"""All texts of the site; forms, parameters, options of commands and columns are these."""


class SiteText(Base):
    """What holds in place of the settings of `SITE_FIELDS`. Empty: as in the ini file."""

    __tablename__ = "site_texts"
    __dump__ = CONTENT

    id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    name: Mapped[EmptyText]
    tagline: Mapped[EmptyText]
    accent: Mapped[EmptyText]
    registration: Mapped[EmptyText]
    about: Mapped[EmptyText]
    rules: Mapped[EmptyText]
    privacy: Mapped[EmptyText]
    footer: Mapped[EmptyText]
    logo: Mapped[str] = mapped_column(String(100), default="", server_default="")
    """The name of a file in the photo storages."""
    updated_at: Mapped[Timestamp]

    __table_args__ = (CheckConstraint("id = 1", name="one_row"),)
