"""The settings of accounts: accounts, levels."""

from .setting import Setting
from .setting_types import NON_EMPTY, PATH, choice, integer, or_off, seconds

LEVELS = {
    "newbie": "Newcomer",
    "member": "Member",
    "vip": "VIP",
    "maintainer": "Maintainer",
    "admin": "Admin",
    "blocked": "Blocked",
    "deleted": "Deleted",
}

ACCOUNTS: tuple[Setting, ...] = (
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
    Setting(
        "accounts.email_domains_file",
        PATH,
        "",
        "a text file with email domains that no account may have, a domain a line, # begins a "
        "comment; their subdomains are meant, too; read at the start",
    ),
    Setting(
        "accounts.sign_up_min_seconds",
        or_off(seconds(0.1, 60)),
        "3",
        "how long people need at least to fill in the sign-up page; who is faster is taken for a "
        "program and asked to try again; off: no limit",
    ),
    *(
        Setting(f"levels.{level}", NON_EMPTY, shown, f"the display name of the level {level}")
        for level, shown in LEVELS.items()
    ),
)
