"""The settings of mail: how it is sent, and by whom."""

from .setting import Setting
from .setting_types import (
    BOOLEAN,
    FOLDER,
    NON_EMPTY,
    OPTIONAL_ADDRESS,
    SENDER,
    TEXT,
    choice,
    integer,
    or_off,
    seconds,
)

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
    Setting(
        "mail.timeout_seconds",
        seconds(0.1, 300),
        "10",
        "how long each answer of the mail server may take; all of them five times as long",
    ),
    Setting(
        "mail.requests_per_hour",
        integer(1, 100_000, "requests per hour"),
        "10",
        "how often an hour one IP address may request mail; counted in rate_limit.storage",
    ),
    *(
        Setting(
            f"mail.defaults.{about}",
            choice("instant", "hourly", "off"),
            "off",
            f"of new accounts: when they get an email of {meaning}; each may choose otherwise",
        )
        for about, meaning in (
            ("mention", "a text that mentions them"),
            ("reply", "a reply in their topic, or in one that they follow"),
            ("follow", "a topic of somebody whom they follow"),
            ("moderation", "what moderators decided about them and their posts"),
        )
    ),
    Setting(
        "mail.defaults.digest",
        choice("daily", "weekly", "off"),
        "off",
        "of new accounts: when they get a digest of what is unread and of new topics",
    ),
    Setting(
        "mail.allow_instant",
        BOOLEAN,
        "true",
        "whether people may have such an email within minutes; else hourly at most",
    ),
    Setting(
        "mail.per_minute",
        or_off(integer(1, 100_000, "mails per minute")),
        "off",
        "how many emails about what happened are sent a minute at most; others wait for their turn",
    ),
    Setting(
        "mail.unsubscribe_address",
        OPTIONAL_ADDRESS,
        "",
        "an address that somebody reads, for those who unsubscribe by a mail; empty: there is a "
        "link alone",
    ),
)
