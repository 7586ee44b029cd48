"""Every ini setting, declared once: name, type, default, meaning."""

from .accounts import ACCOUNTS
from .backup import BACKUP
from .database import DATABASE
from .mail import MAIL
from .markup import MARKUP
from .moderation import MODERATION
from .notifications import NOTIFICATIONS
from .oauth import OAUTH
from .operation import OPERATION
from .photos import PHOTOS
from .posts import POSTS
from .protocol import PROTOCOL
from .rate_limits import RATE_LIMITS
from .search import SEARCH
from .setting import Setting
from .site import SITE

DECLARED: tuple[Setting, ...] = (
    *SITE,
    *ACCOUNTS,
    *OAUTH,
    *POSTS,
    *MODERATION,
    *NOTIFICATIONS,
    *SEARCH,
    *PHOTOS,
    *MARKUP,
    *MAIL,
    *PROTOCOL,
    *RATE_LIMITS,
    *DATABASE,
    *OPERATION,
    *BACKUP,
)
"""In the order of the reference. All of an area, the part before the dot, stand in one file."""


def default_of(name: str) -> str | None:
    """Return the default of a setting, as it would be written in an ini file."""
    return next(setting.default for setting in DECLARED if setting.name == name)
