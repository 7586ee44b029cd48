"""Every ini setting, declared once: name, kind, default, meaning."""

from .database import DATABASE
from .kinds import (
    ADDRESS,
    FLAG,
    SECRET,
    TEXT,
    WORD,
    choice,
    matching,
    or_off,
    seconds,
    whole,
)
from .operation import OPERATION
from .protocol import PROTOCOL
from .setting import Setting

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
    Setting("site.name", WORD, "Forum", "the community's name, on the pages"),
    Setting(
        "site.url",
        ADDRESS,
        "",
        "the address under which clients reach the service; development may leave it to them",
    ),
    Setting(
        "site.user_url",
        matching(r"\S*\{login\}\S*", "an address with {login} in it"),
        "/{login}",
        "where a mention links to; {login} is replaced",
    ),
    *DATABASE,
    Setting("docs.enabled", FLAG, "true", "whether /docs has the explorer and the guide"),
    *PROTOCOL,
    Setting("memory.pages", whole(0, 10_000), "8", "megabytes of pages that a process keeps made"),
    Setting(
        "accounts.newbie_minutes",
        whole(0, 10_000_000),
        "0",
        "how long a new member may reply but not open topics",
    ),
    Setting(
        "accounts.registration",
        choice("closed", "open"),
        "closed",
        "whether people may open accounts by themselves",
    ),
    Setting(
        "accounts.registrations_per_hour",
        whole(1, 100_000),
        "20",
        "how often an hour one address may try to open an account; counted in rates.storage",
    ),
    Setting(
        "accounts.login_failures",
        whole(1, 1000),
        "10",
        "wrong passwords for an account from one address before the next attempt must wait",
    ),
    Setting(
        "accounts.login_failures_alone",
        whole(1, 100_000),
        "100",
        "wrong passwords for an account, or from an address, before the next attempt must wait",
    ),
    Setting(
        "accounts.login_window",
        whole(1, 86400),
        "900",
        "how long a wrong password counts, and the longest wait, in seconds",
    ),
    Setting(
        "accounts.login_wait",
        whole(1, 3600),
        "60",
        "the first wait, which each further wrong password doubles, in seconds",
    ),
    *(
        Setting(f"levels.{level}", WORD, shown, f"what the level {level} is called")
        for level, shown in LEVELS.items()
    ),
    Setting("posts.max_title", whole(1, 255), "255", "the longest title, in characters"),
    Setting("posts.max_body", whole(1, 10_000_000), "65536", "the longest text, in characters"),
    Setting(
        "posts.newbie_posts",
        whole(1, 1000),
        "1",
        "how many of a member's posts are first ones, for which the next two limits hold",
    ),
    Setting(
        "posts.newbie_max_links",
        or_off(whole(0, 1000)),
        "off",
        "how many links to other hosts a member's first post may hold",
    ),
    Setting(
        "posts.newbie_max_images",
        or_off(whole(0, 1000)),
        "off",
        "how many pictures a member's first post may hold",
    ),
    Setting(
        "posts.forbidden_words",
        TEXT,
        "",
        "words that no title or text may hold, separated by commas; or file:PATH, a word a line",
    ),
    Setting(
        "notifications.max_mentions",
        whole(0, 1000),
        "20",
        "how many users one text may notify by mentioning them",
    ),
    Setting(
        "topics.hits_interval",
        seconds(0.05, 3600),
        "5",
        "how long reads are counted in memory before they are written, in seconds",
    ),
    Setting(
        "oauth.access_token_ttl",
        whole(1, 10**9),
        "86400",
        "the life of an access token, in seconds",
    ),
    Setting(
        "oauth.refresh_token_ttl",
        whole(1, 10**9),
        "2592000",
        "the life of a refresh token, in seconds",
    ),
    Setting(
        "oauth.refresh_grace",
        whole(0, 3600),
        "0",
        "for how many seconds a refresh token's second use is refused without revoking its family",
    ),
    Setting("oauth.code_ttl", whole(1, 600), "60", "the life of an authorization code, in seconds"),
    Setting(
        "oauth.require_pkce",
        FLAG,
        "false",
        "whether clients with a secret must use PKCE too; public ones always must",
    ),
    Setting(
        "oauth.self_service",
        FLAG,
        "false",
        "whether users may register applications of their own, on the pages",
    ),
    Setting(
        "mail.delivery",
        choice("none", "folder", "smtp"),
        "none",
        "how mail leaves: not at all, as files in mail.dir, or to the server mail.host",
    ),
    Setting("mail.dir", WORD, "var/mail", "the folder that mail is written to"),
    Setting(
        "mail.sender",
        matching(r"[^\s@<>,]+@[^\s@<>,]+", "an e-mail address"),
        "forum@localhost",
        "from whom mail comes",
    ),
    Setting("mail.host", WORD, "localhost", "the mail server"),
    Setting("mail.port", whole(1, 65535), "25", "the mail server's port"),
    Setting(
        "mail.security",
        choice("none", "starttls", "tls"),
        "none",
        "how the connection to the mail server is encrypted",
    ),
    Setting("mail.user", TEXT, "", "the name to log in to the mail server by; empty: no log-in"),
    Setting("mail.password", TEXT, "", "the password for it", secret=True),
    Setting(
        "mail.timeout", seconds(0.1, 300), "10", "how long the mail server may take, in seconds"
    ),
    Setting(
        "mail.requests_per_hour",
        whole(1, 100_000),
        "10",
        "how often an hour one address may ask for mail; counted in rates.storage",
    ),
    Setting(
        "photos.storage",
        choice("local", "s3"),
        "local",
        "where pictures are kept: in photos.dir, or in a bucket of S3 or what speaks its protocol",
    ),
    Setting("photos.dir", WORD, "var/photos", "the folder of the local storage"),
    Setting("photos.max_bytes", whole(1024, 1024**3), "10000000", "the largest picture, in bytes"),
    Setting(
        "photos.max_pixels",
        whole(1, 10**9),
        "50000000",
        "the largest picture, in pixels over all its frames",
    ),
    Setting("photos.max_frames", whole(1, 10_000), "500", "the longest animation, in frames"),
    Setting("photos.s3_bucket", TEXT, "", "the name of the bucket, which must be there"),
    Setting("photos.s3_prefix", TEXT, "", "what stands before every picture's name in the bucket"),
    Setting("photos.s3_endpoint", ADDRESS, "", "the object store; where empty, Amazon's"),
    Setting("photos.s3_region", TEXT, "", "its region; where empty, what boto3 finds"),
    Setting(
        "photos.s3_access_key", TEXT, "", "its key; where empty, what boto3 finds", secret=True
    ),
    Setting("photos.s3_secret_key", TEXT, "", "the secret of that key", secret=True),
    Setting(
        "photos.s3_public_url",
        ADDRESS,
        "",
        "under which address everybody reads the bucket; where empty, addresses are presigned",
    ),
    Setting(
        "photos.s3_expires",
        whole(1, 604_800),
        "3600",
        "how long a presigned address holds, in seconds",
    ),
    Setting(
        "markup.workers", whole(0, 64), "2", "processes that render text; 0: none of their own"
    ),
    Setting(
        "markup.timeout", seconds(0.05, 60), "1", "the longest that one text may take to render"
    ),
    Setting(
        "session.secret",
        SECRET,
        None,
        "signs cookies and links",
        secret=True,
    ),
    Setting(
        "session.ttl",
        whole(60, 10**9),
        "604800",
        "how long somebody stays logged in to the pages, in seconds",
    ),
    *OPERATION,
)
