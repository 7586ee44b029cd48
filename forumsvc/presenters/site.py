"""What presenters need to know of the site: addresses and names."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class Site:
    """Where the service is reached, and what its levels are called.

    base_url: without a slash at its end; level_names: level -> display name; newbie: how long a
    member counts as a newcomer; now: the time of the request.
    """

    base_url: str
    level_names: Mapping[str, str]
    newbie: timedelta
    now: datetime

    def photo_url(self, name: str) -> str:
        """Return the absolute address of a stored picture."""
        return f"{self.base_url}/photos/{name}"

    def avatar_url(self, login: str, picture: str) -> str:
        """Return the absolute address of a user's picture, or of the letter that stands for it."""
        if picture:
            return self.photo_url(picture)
        return f"{self.base_url}/avatars/{login}.svg"
