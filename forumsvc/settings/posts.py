"""The settings of posts: how long, how many, and which wait for a moderator: posts, topics."""

from .setting import Setting
from .setting_types import BOOLEAN, TEXT, choice, integer, or_off, seconds

POSTS: tuple[Setting, ...] = (
    Setting(
        "posts.max_title",
        integer(1, 255, "characters"),
        "255",
        "the longest title, in characters",
    ),
    Setting(
        "posts.max_body",
        integer(1, 10_000_000, "characters"),
        "65536",
        "the longest text, in characters",
    ),
    Setting(
        "posts.newbie_posts",
        integer(1, 1000, "posts"),
        "1",
        "how many of a member's posts are first ones, to which the next two limits apply",
    ),
    Setting(
        "posts.newbie_max_links",
        or_off(integer(0, 1000, "links")),
        "off",
        "how many links to other hosts a member's first post may have",
    ),
    Setting(
        "posts.newbie_max_images",
        or_off(integer(0, 1000, "images")),
        "off",
        "how many images a member's first post may have",
    ),
    Setting(
        "posts.forbidden_words",
        TEXT,
        "",
        "words that titles and texts must not contain, separated by commas; or file:PATH",
    ),
    Setting(
        "posts.newbie_action",
        choice("refuse", "hold"),
        "refuse",
        "what becomes of a first post with more links or images: it is refused, or it waits for a "
        "moderator",
    ),
    Setting(
        "posts.hold_first",
        or_off(integer(1, 1000, "posts")),
        "off",
        "how many first posts of a member wait for a moderator before others see them",
    ),
    Setting(
        "posts.held_words",
        TEXT,
        "",
        "words with which a new post waits for a moderator, separated by commas; or file:PATH",
    ),
    Setting(
        "posts.topics_per_hour",
        or_off(integer(1, 10_000, "topics")),
        "off",
        "how many topics a member may open in an hour",
    ),
    Setting(
        "posts.seconds_between_topics",
        or_off(integer(1, 86_400, "seconds")),
        "off",
        "how long a member must wait before the next topic",
    ),
    Setting(
        "posts.replies_per_minute",
        or_off(integer(1, 10_000, "replies")),
        "off",
        "how many replies a member may write in a minute",
    ),
    Setting(
        "posts.purge_deleted_days",
        or_off(integer(1, 36_500, "days")),
        "off",
        "how many days after a topic or a reply was deleted its text is deleted for good; then it "
        "cannot be restored; off: never",
    ),
    Setting(
        "posts.versions_open",
        BOOLEAN,
        "false",
        "whether everybody may read the former texts of a post that they see; else its author and "
        "moderators may",
    ),
    Setting(
        "posts.versions_days",
        integer(0, 36_500, "days"),
        "0",
        "how many days a former text is kept after an edit has replaced it; 0: for ever",
    ),
    Setting(
        "posts.duplicate_minutes",
        or_off(integer(0, 100_000, "minutes")),
        "off",
        "for how long a user cannot post the same text again: in the same topic, or as a topic; 0 "
        "is off, too",
    ),
    Setting(
        "topics.view_count_flush_seconds",
        seconds(0.05, 3600),
        "5",
        "how often the views of topics, counted in memory, are written to the database",
    ),
)
