"""The settings of log-ins and applications: session, oauth."""

from .setting import Setting
from .setting_types import BOOLEAN, SECRET, integer

OAUTH: tuple[Setting, ...] = (
    Setting("session.secret", SECRET, None, "the key that signs cookies and links", secret=True),
    Setting(
        "session.ttl_seconds",
        integer(60, 10**9),
        "604800",
        "how long a log-in to the pages lasts",
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
)
