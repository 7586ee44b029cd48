"""The settings of notifications: which users are notified with a post, which after it."""

from .setting import Setting
from .setting_types import integer, seconds

NOTIFICATIONS: tuple[Setting, ...] = (
    Setting(
        "notifications.max_mentions",
        integer(0, 1000),
        "20",
        "how many users one text may notify by mentioning them",
        unit="users",
    ),
    Setting(
        "notifications.inline_recipients",
        integer(0, 10_000),
        "100",
        "how many followers a new topic or reply notifies within its request; the others are "
        "notified in batches right after it",
    ),
    Setting(
        "notifications.job_interval_seconds",
        seconds(0.05, 3600),
        "5",
        "how often a process looks for followers who are still to be notified, in seconds",
    ),
)
