"""The settings of mail: how it is sent, and by whom."""

from .setting import Setting
from .setting_types import FOLDER, NON_EMPTY, SENDER, TEXT, choice, integer, seconds

MAIL: tuple[Setting, ...] = (
    Setting(
        "mail.delivery",
        choice("none", "folder", "smtp"),
        "none",
        "how mail is sent: not at all, as files in mail.dir, or to the server mail.host",
    ),
    Setting("mail.dir", FOLDER, "var/mail", "the folder that mail is written to"),
    Setting("mail.sender", SENDER, "forum@localhost", "the sender of mail"),
    Setting("mail.host", NON_EMPTY, "localhost", "the mail server"),
    Setting("mail.port", integer(1, 65535), "25", "the mail server's port"),
    Setting(
        "mail.security",
        choice("none", "starttls", "tls"),
        "none",
        "how the connection to the mail server is encrypted",
    ),
    Setting("mail.user", TEXT, "", "the name to log in to the mail server by; empty: no log-in"),
    Setting("mail.password", TEXT, "", "the password for it", secret=True),
    Setting(
        "mail.helo_name",
        TEXT,
        "",
        "the name that the service gives itself at the mail server; empty: the host of site.url",
    ),
    Setting("mail.timeout_seconds", seconds(0.1, 300), "10", "how long the mail server may take"),
    Setting(
        "mail.requests_per_hour",
        integer(1, 100_000, "requests per hour"),
        "10",
        "how often an hour one IP address may request mail; counted in rate_limit.storage",
    ),
)
