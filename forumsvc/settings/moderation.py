"""The settings of moderation."""

from .setting import Setting
from .setting_types import BOOLEAN, RATE, integer, or_off

MODERATION: tuple[Setting, ...] = (
    Setting(
        "moderation.hide_after",
        or_off(integer(2, 100)),
        "off",
        "how many members who are no newbies must report a post to hide it until a moderator has "
        "looked at it",
        unit="members",
    ),
    Setting(
        "rate_limit.reports",
        or_off(RATE),
        "20/day",
        "how often a user may report something to the moderators",
    ),
    Setting(
        "moderation.public_log",
        BOOLEAN,
        "false",
        "whether everybody may read what moderators do to topics and replies, without their names",
    ),
    Setting(
        "moderation.keep_log_days",
        or_off(integer(1, 36_500)),
        "off",
        "how many days the log of moderation is kept; off: for ever",
        unit="days",
    ),
)
