"""The settings of moderation."""

from .setting import Setting
from .setting_types import BOOLEAN, integer, or_off, seconds

MODERATION: tuple[Setting, ...] = (
    Setting(
        "moderation.hide_after",
        or_off(integer(2, 100, "members")),
        "off",
        "how many members who are no newbies must report a post to hide it until a moderator has "
        "looked at it",
    ),
    Setting(
        "moderation.public_log",
        BOOLEAN,
        "false",
        "whether everybody may read what moderators do to topics and replies, without their names",
    ),
    Setting(
        "moderation.keep_log_days",
        or_off(integer(1, 36_500, "days")),
        "off",
        "how many days the log of moderation is kept; off: for ever",
    ),
    Setting(
        "moderation.keep_reviews_days",
        or_off(integer(1, 36_500, "days")),
        "365",
        "how many days after the decision a review is kept, with its reports and held posts; off: "
        "for ever",
    ),
    Setting(
        "moderation.keep_addresses_days",
        or_off(integer(1, 3650, "days")),
        "off",
        "for how many days after a post a keyed hash of its author's network is kept, so that "
        "moderators see how many accounts write from there; off: none is kept",
    ),
    Setting(
        "moderation.blocks_recheck_seconds",
        seconds(0, 3600),
        "1",
        "for how long a process may use the access blocks that it knows when a request reads "
        "nothing that tells of a change, as those of visitors mostly do",
    ),
)
