"""Logins: what that of a new account, and the name of a member's application may be."""

import re

from sqlalchemy.orm import Session

from ...cache.invalidation import update_columns
from ...errors import Invalid
from ...models import User
from ...search.normal_form import normalize
from ...text.ids import is_login
from ...text.messages import Clause

PAGE_NAMES = frozenset(
    [
        "about",
        "api",
        "applications",
        "avatars",
        "docs",
        "favicon.ico",
        "feed",
        "health",
        "held",
        "login",
        "logout",
        "mail",
        "metrics",
        "moderation",
        "moderators",
        "nodes",
        "notifications",
        "oauth",
        "password",
        "photos",
        "privacy",
        "robots.txt",
        "rules",
        "search",
        "settings",
        "signup",
        "sitemap.xml",
        "static",
        "topics",
        "users",
    ]
)
"""The first parts of the paths of pages: a user's page is `/LOGIN`."""
_RESERVED = PAGE_NAMES | {"me", "null", "undefined", "deleted", "system"}
_OF_DELETED = re.compile(r"deleted-[0-9]+")
_FILES = (".txt", ".html", ".htm", ".php", ".xml", ".ico", ".js", ".css", ".map", ".png")
"""The ends of names of files that programs look for on any site."""
_STAFF = frozenset(
    [
        *("abuse", "admin", "administrator", "admins", "contact", "help", "hostmaster", "info"),
        *("mod", "moderation", "moderator", "moderators", "mods", "noreply", "no-reply"),
        *("official", "operator", "owner", "postmaster", "root", "security", "service", "staff"),
        *("support", "sysadmin", "team", "webmaster"),
    ]
)
"""Names by which somebody could pretend to speak for the site."""
_WORD = re.compile(r"[^\W_]+")


def check_login(login: str) -> str:
    """Return `login` if it is valid for a new user.

    Raises Invalid if it is ambiguous in a path (an id, `me`, a suffix) or in a text (the full stop
    after a mention), or is not 2 to 20 ASCII characters.
    """
    if not is_login(login):
        raise Invalid(
            "login",
            "must be 2 to 20 of the letters a-z, digits, '-', '_' and '.', "
            "and begin and end with a letter, a digit or '_'",
        )
    key = login.lower()
    if key.isdigit():
        raise Invalid("login", "must not be all digits")
    if key in _RESERVED or _OF_DELETED.fullmatch(key) or key.endswith(_FILES):
        raise _reserved(login)
    if key.endswith(".json"):
        raise Invalid("login", "must not end in '.json'")
    return login


def is_unambiguous(login: str) -> bool:
    """Return whether a login can stand in a path, where it is neither an id nor a page's name."""
    key = login.lower()
    is_page = key in PAGE_NAMES or key == "me" or key.endswith(".json")
    return is_login(login) and not key.isdigit() and not is_page


def check_own_login(login: str) -> str:
    """Return `login` if somebody may choose it at the sign-up.

    Raises Invalid as `check_login`, and for names that only an administrator gives.
    """
    if check_login(login).lower() in _STAFF:
        raise _reserved(login)
    return login


def check_application_name(name: str, site_name: str) -> str:
    """Return the name of a member's application.

    Raises Invalid for `name` if each word of it is of the site's name, or a name of the staff.
    """
    words, of_site = (set(_WORD.findall(normalize(text))) for text in (name, site_name))
    if words and words <= of_site | _STAFF:
        raise Invalid("name", "must not read as if it were this site or its staff")
    return name


def _reserved(login: str) -> Invalid:
    return Invalid("login", Clause("%(login)r is reserved", login=login))


def free(db: Session, user_id: int) -> None:
    """Give a deleted account a login that nobody else takes, so that others can have its own."""
    login = f"deleted-{user_id}"
    db.execute(update_columns(User, login=login, login_key=login).where(User.id == user_id))
