"""The site as presenters need it: URLs and names."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from ..media.small_versions import SMALL
from ..settings import LEVELS, Settings


@dataclass(frozen=True, slots=True)
class Site:
    """The URL of the service and the names of its levels.

    name: of the site, empty where nothing shows it; base_url: without a trailing slash;
    level_names: level -> display name; newbie: how long a new member has the level newbie; now: the
    time of the request; has_pages: whether the forum has pages.
    """

    name: str
    base_url: str
    level_names: Mapping[str, str]
    newbie: timedelta
    now: datetime
    has_pages: bool = False

    def photo_url(self, name: str) -> str:
        """Return the absolute URL of a stored photo."""
        return f"{self.base_url}/photos/{name}"

    def small_photo_url(self, name: str) -> str:
        """Return the absolute URL of the small version of a stored photo."""
        return f"{self.photo_url(name)}/{SMALL}"

    def avatar_url(self, login: str, photo_name: str) -> str:
        """Return the absolute URL of a user's avatar, or of the letter avatar without one."""
        if photo_name:
            return self.photo_url(photo_name)
        return f"{self.base_url}/avatars/{login}.svg"


def site_of(settings: Settings, base_url: str, now: datetime, name: str = "") -> Site:
    """Return the site of a service. base_url, name: as for Site; no base_url: URLs are paths."""
    return Site(
        name=name,
        base_url=base_url,
        level_names={level: settings[f"levels.{level}"] for level in LEVELS},
        newbie=timedelta(minutes=settings["accounts.newbie_minutes"]),
        now=now,
        has_pages=settings["pages.forum"],
    )
