"""The site as presenters need it: URLs and names."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class Site:
    """The URL of the service and the names of its levels.

    name: the setting `site.name`; base_url: without a trailing slash; level_names: level -> display
    name; newbie: how long a new member has the level newbie; now: the time of the request;
    has_pages: whether the forum has pages.
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

    def avatar_url(self, login: str, photo_name: str) -> str:
        """Return the absolute URL of a user's avatar, or of the letter avatar without one."""
        if photo_name:
            return self.photo_url(photo_name)
        return f"{self.base_url}/avatars/{login}.svg"
