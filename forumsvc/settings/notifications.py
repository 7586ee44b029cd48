"""The settings of notifications: which users are notified with a post, which after it."""

from .setting import Setting
from .setting_types import choice, integer

NOTIFICATIONS: tuple[Setting, ...] = (
    Setting(
        "notifications.read_on_open",
        choice("off", "keyed", "always"),
        "keyed",
        "whether GET /topics/:id marks the topic, its replies and what notifies of them as read "
        "by the caller: never, in the keyed shape as existing clients expect, or in both; a page "
        "marks what it shows",
    ),
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
