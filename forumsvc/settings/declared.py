"""Every ini setting, declared once: name, type, default, meaning."""

from .backup import BACKUP
from .database import DATABASE
from .mail import MAIL
from .markup import MARKUP
from .moderation import MODERATION
from .notifications import NOTIFICATIONS
from .operation import OPERATION
from .pages import PAGES
from .photos import PHOTOS
from .posts import POSTS
from .protocol import PROTOCOL
from .search import SEARCH
from .setting import Setting
from .setting_types import (
    BOOLEAN,
    NON_EMPTY,
    SECRET,
    URL,
    choice,
    integer,
    matching,
    or_off,
    seconds,
)

LEVELS = {
    "newbie": "Newcomer",
    "member": "Member",
    "vip": "VIP",
    "maintainer": "Maintainer",
    "admin": "Admin",
    "blocked": "Blocked",
    "deleted": "Deleted",
}

DECLARED: tuple[Setting, ...] = (
    Setting(
        "site.environment",
        choice("development", "production"),
        "production",
        "production refuses development's secret and needs site.url",
    ),
    Setting("site.name", NON_EMPTY, "Forum", "the community's name, on the pages"),
    Setting(
        "site.url",
        URL,
        "",
        "the URL under which clients reach the service; may be empty in development",
    ),
    Setting(
        "site.user_url",
        matching(r"\S*\{login\}\S*", "an address with {login} in it"),
        "/{login}",
        "the link of a mention; {login} is replaced",
    ),
    *PAGES,
    *DATABASE,
    Setting("docs.enabled", BOOLEAN, "true", "whether /docs has the explorer and the guide"),
    *PROTOCOL,
    Setting(
        "cache.pages_mb",
        integer(0, 10_000, "megabytes"),
        "8",
        "memory that each process may use to cache responses; 0: no cache",
    ),
    Setting(
        "accounts.newbie_minutes",
        integer(0, 10_000_000),
        "0",
        "how long a new member may reply but not open topics",
    ),
    Setting(
        "accounts.registration",
        choice("closed", "open", "approval"),
        "closed",
        "whether people may create accounts by themselves; approval: each can only read until a "
        "moderator has approved it",
    ),
    Setting(
        "accounts.registrations_per_hour",
        integer(1, 100_000, "attempts per hour"),
        "20",
        "how often an hour one IP address may try to register; counted in rate_limit.storage",
    ),
    Setting(
        "accounts.confirm_email",
        choice("auto", "true", "false"),
        "auto",
        "whether who signs up may only read until they have confirmed their email address, and a "
        "new address is used once it is confirmed; auto: where mail is sent (mail.delivery)",
    ),
    Setting(
        "accounts.unconfirmed_days",
        or_off(integer(1, 3650, "days")),
        "7",
        "after how many days an account ends whose email address had to be confirmed, and was not, "
        "that has left no trace and is logged in nowhere; its login and address are free then; "
        "off: never",
    ),
    Setting(
        "accounts.closure_days",
        integer(1, 365, "days"),
        "14",
        "after how many days somebody who closes their account is erased; until then a log-in on "
        "the pages takes it back",
    ),
    Setting(
        "accounts.login_failures",
        integer(1, 1000, "attempts"),
        "10",
        "wrong passwords for an account from one address before the next attempt must wait",
    ),
    Setting(
        "accounts.login_failures_per_account_or_address",
        integer(1, 100_000, "attempts"),
        "100",
        "wrong passwords for an account, or from an address, before the next attempt must wait",
    ),
    Setting(
        "accounts.logins_per_user",
        integer(1, 100_000, "log-ins"),
        "1000",
        "right passwords of a user within accounts.login_window_seconds; further ones must wait",
    ),
    Setting(
        "accounts.logins_per_address",
        integer(1, 10_000_000, "log-ins"),
        "10000",
        "right passwords from an address within accounts.login_window_seconds; further ones must "
        "wait",
    ),
    Setting(
        "accounts.password_slots",
        integer(1, 1000, "threads"),
        "4",
        "how many threads of a process may check a password or wait to do so, further requests "
        "get 503; half of `threads` in [server:main] is right",
    ),
    Setting(
        "accounts.login_window_seconds",
        integer(1, 86400),
        "900",
        "how long a wrong password counts, and the longest wait",
    ),
    Setting(
        "accounts.login_wait_seconds",
        integer(1, 3600),
        "60",
        "the first wait, which each further wrong password doubles",
    ),
    *(
        Setting(f"levels.{level}", NON_EMPTY, shown, f"the display name of the level {level}")
        for level, shown in LEVELS.items()
    ),
    *POSTS,
    *MODERATION,
    *NOTIFICATIONS,
    Setting(
        "topics.view_count_flush_seconds",
        seconds(0.05, 3600),
        "5",
        "how often the views of topics, counted in memory, are written to the database",
    ),
    Setting(
        "oauth.access_token_ttl",
        integer(1, 10**9, "seconds"),
        "86400",
        "the lifetime of an access token, in seconds",
    ),
    Setting(
        "oauth.refresh_token_ttl",
        integer(1, 10**9, "seconds"),
        "2592000",
        "the lifetime of a refresh token, in seconds",
    ),
    Setting(
        "oauth.refresh_grace",
        integer(0, 3600, "seconds"),
        "0",
        "for how many seconds after its first use a refresh token may be used again: by another "
        "tab, or after a lost response; each use gets tokens of its own",
    ),
    Setting(
        "oauth.code_ttl",
        integer(1, 600, "seconds"),
        "60",
        "the lifetime of an authorization code, in seconds",
    ),
    Setting(
        "oauth.require_pkce",
        BOOLEAN,
        "false",
        "whether clients with a secret must use PKCE too; public ones always must",
    ),
    Setting(
        "oauth.user_registered_clients",
        BOOLEAN,
        "false",
        "whether users may register applications of their own, on the pages",
    ),
    *MAIL,
    *PHOTOS,
    *MARKUP,
    Setting("session.secret", SECRET, None, "the key that signs cookies and links", secret=True),
    Setting(
        "session.ttl_seconds",
        integer(60, 10**9),
        "604800",
        "how long a log-in to the pages lasts",
    ),
    *SEARCH,
    *OPERATION,
    *BACKUP,
)
