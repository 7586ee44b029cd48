"""The name, the texts, the color and the logo of the site, and who may sign up.

What administrators have set is in the database and wins over the ini file. Each process has it in
memory, and reads it again when the version of what processes keep is another one: see
`access.networks`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..db.execution import ReadConnection, row
from ..db.statements import insert_or_ignore, update_of, with_row_locks
from ..errors import Invalid
from ..media.storage import media_type_of
from ..models import SITE_FIELDS, AdminAction, Registration, SiteField, SiteText
from ..settings import Settings, SettingsError
from ..text.messages import Message
from .moderation import actions
from .moderation.actions import Action
from .posts.short_texts import validate_line, validate_lines, validate_name

LOGO_TYPES = {".png": "image/png", ".svg": "image/svg+xml", ".webp": "image/webp"}
"""The files that the setting `site.logo` may name."""
_ID = 1
_COLOR = re.compile("#[0-9a-f]{6}")
_SELECT: Any = select(*(SiteText.__table__.c[item.name] for item in SITE_FIELDS), SiteText.logo)
_NAME: Any = select(SiteText.name)


@dataclass(frozen=True, slots=True)
class Logo:
    """A picture beside the name of the site.

    tag: begins the digest of its bytes; stored: its name in the photo storages; body: its bytes,
    where the ini file names it.
    """

    media_type: str
    tag: str
    stored: str = ""
    body: bytes = b""


@dataclass(frozen=True)
class SiteTexts:
    """What the site says of itself. own: the names of what administrators have set."""

    name: str
    tagline: str = ""
    accent: str = ""
    registration: str = Registration.CLOSED
    about: str = ""
    rules: str = ""
    privacy: str = ""
    footer: str = ""
    logo: Logo | None = None
    own: frozenset[str] = field(default_factory=frozenset)

    @cached_property
    def tag(self) -> str:
        """A digest that changes with everything that pages show of it."""
        texts = [getattr(self, item.name) for item in SITE_FIELDS]
        return sha256(repr((texts, self.logo and self.logo.tag)).encode()).hexdigest()[:12]


class CurrentSiteTexts:
    """The texts as this process has read them last; of_ini: what holds where nothing is set."""

    def __init__(self, of_ini: SiteTexts) -> None:
        self.of_ini = of_ini
        self.texts = of_ini

    def read(self, db: ReadConnection) -> None:
        """Read what administrators have set."""
        self.texts = read(db, self.of_ini)


def from_settings(settings: Settings, ini_dir: Path) -> SiteTexts:
    """Return the texts of an ini file; relative paths begin at its folder.

    Raises SettingsError if a file cannot be read.
    """
    texts: dict[str, Any] = {}
    for item in SITE_FIELDS:
        texts[item.name] = settings[item.setting]
        if item.kind == "markdown" and texts[item.name]:
            path = texts[item.name]
            try:
                texts[item.name] = _read_file(item.setting, ini_dir / path).decode()
            except UnicodeDecodeError:
                raise SettingsError(f"{item.setting}: {path!r} must be in UTF-8") from None
    return SiteTexts(**texts, logo=_logo_of_file(settings["site.logo"], ini_dir))


def _logo_of_file(name: str, ini_dir: Path) -> Logo | None:
    if not name:
        return None
    media_type = LOGO_TYPES.get(Path(name).suffix.lower())
    if media_type is None:
        raise SettingsError(f"site.logo: {name!r} must be a .png, .svg or .webp file")
    body = _read_file("site.logo", ini_dir / name)
    return Logo(media_type, sha256(body).hexdigest()[:12], body=body)


def _read_file(setting: str, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise SettingsError(f"{setting}: {path} cannot be read ({error.strerror})") from None


def read(db: ReadConnection, of_ini: SiteTexts) -> SiteTexts:
    """Return the texts as the database has them, those of the ini file where it has none."""
    return _over(of_ini, row(db, _SELECT, {}))


def locked(db: Session, now: datetime, of_ini: SiteTexts) -> SiteTexts:
    """Return the texts as `read` does; nobody else changes them until the transaction ends."""
    insert_or_ignore(db, SiteText, id=_ID, updated_at=now)
    return _over(of_ini, db.execute(with_row_locks(_SELECT, SiteText)).one())


def name_of(db: ReadConnection, settings: Settings) -> str:
    """Return the name of the site, for what shows nothing else of it."""
    found = row(db, _NAME, {})
    return str((found and found.name) or settings["site.name"])


def names_of_own(db: ReadConnection) -> list[str]:
    """Return the names of what administrators have set, and `logo`."""
    found = row(db, _SELECT, {})
    names = (*(item.name for item in SITE_FIELDS), "logo")
    return [] if found is None else [name for name in names if getattr(found, name)]


def _over(of_ini: SiteTexts, found: Any) -> SiteTexts:
    if found is None:
        return of_ini
    names = [item.name for item in SITE_FIELDS if getattr(found, item.name)]
    texts: dict[str, Any] = {name: getattr(found, name) for name in names}
    if found.logo:
        tag = found.logo.rpartition("/")[2][:12]
        texts["logo"] = Logo(media_type_of(found.logo), tag, stored=found.logo)
    return replace(of_ini, **texts, own=frozenset(texts))


def edit(
    db: Session,
    actor_id: int | None,
    now: datetime,
    of_ini: SiteTexts,
    values: Mapping[str, str],
) -> SiteTexts:
    """Change texts of the site, and return all of them.

    actor_id: the administrator, None at the command line; values: what changes, by names of
    SITE_FIELDS, and `logo`, a name in the photo storages. What is empty, or the same as in the ini
    file, is as in the ini file from now on. Raises Invalid for a text that is not valid.
    """
    locked(db, now, of_ini)
    before = db.execute(_SELECT).one()._mapping
    new = {item.name: check(item, values[item.name]) for item in SITE_FIELDS if item.name in values}
    new = {name: "" if text == getattr(of_ini, name) else text for name, text in new.items()}
    if "logo" in values:
        new["logo"] = values["logo"]
    changed = {name: text for name, text in new.items() if text != before[name]}
    if changed:
        db.execute(update_of(SiteText).where(SiteText.id == _ID).values(**changed, updated_at=now))
        hidden = {item.name for item in SITE_FIELDS if not item.in_log}
        shown = sorted(changed.keys() - hidden)
        details = {
            "changed": sorted(changed),
            "before": {name: before[name] for name in shown},
            "after": {name: changed[name] for name in shown},
        }
        actions.record(db, Action(AdminAction.SITE_UPDATED, actor_id, now, details=details))
    return _over(of_ini, db.execute(_SELECT).one())


def is_color(text: str) -> bool:
    """Return whether a text is a color as it is stored."""
    return _COLOR.fullmatch(text) is not None


def check(item: SiteField, text: str) -> str:
    """Return a text as it is stored. Raises Invalid for the name of the field."""
    if item.kind == "markdown":
        return validate_lines(item.name, text, item.max_length)
    if item.name == "name":
        return validate_name(item.name, text, item.max_length)
    if item.kind == "color":
        return check_color(item.name, text)
    if item.kind == "choice":
        return _check_choice(item, text)
    return validate_line(item.name, text, item.max_length)


def _check_choice(item: SiteField, text: str) -> str:
    if text and text not in item.choices:
        words = ", ".join(item.choices)
        raise Invalid(item.name, Message("must be one of %(words)s", words=words))
    return text


def check_color(field: str, text: str) -> str:
    """Return a color as it is stored, or "". Raises Invalid for `field`."""
    color = text.strip().lower()
    if color and not is_color(color):
        raise Invalid(field, Message("must be a color such as #0a6a5c"))
    return color
