"""The settings of notifications: which users are notified with a post, which after it."""

from .setting import Setting
from .setting_types import integer

NOTIFICATIONS: tuple[Setting, ...] = (
    Setting(
        "notifications.max_mentions",
        integer(0, 1000, "users"),
        "20",
        "how many users one text may notify by mentioning them, with all its edits",
    ),
    Setting(
        "notifications.inline_recipients",
        integer(0, 10_000),
        "100",
        "how many followers a new topic or reply notifies within its request; the background "
        "worker notifies the others right after it",
    ),
)
