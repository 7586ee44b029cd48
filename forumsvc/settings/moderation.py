"""The settings of moderation."""

from .setting import Setting
from .setting_types import BOOLEAN, integer, or_off

MODERATION: tuple[Setting, ...] = (
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
