"""The correct values of the counters, counted from the rows in plain SQL."""

_SEEN = "t.deleted_at IS NULL AND t.banned_at IS NULL"
_LEFT = "r.deleted_at IS NULL"

COUNTERS = {
    ("users", "topics_count"): f"FROM topics t WHERE t.user_id = it.id AND {_SEEN}",
    ("users", "replies_count"): (
        f"FROM replies r JOIN topics t ON t.id = r.topic_id"
        f" WHERE r.user_id = it.id AND {_LEFT} AND {_SEEN}"
    ),
    ("users", "following_count"): "FROM user_follows f WHERE f.user_id = it.id",
    ("users", "followers_count"): "FROM user_follows f WHERE f.target_id = it.id",
    ("users", "favorites_count"): (
        f"FROM favorites f JOIN topics t ON t.id = f.topic_id WHERE f.user_id = it.id AND {_SEEN}"
    ),
    ("users", "unread_count"): (
        "FROM notifications n WHERE n.user_id = it.id AND n.read_at IS NULL"
    ),
    ("nodes", "topics_count"): f"FROM topics t WHERE t.node_id = it.id AND {_SEEN}",
    ("topics", "replies_count"): f"FROM replies r WHERE r.topic_id = it.id AND {_LEFT}",
    ("topics", "others_replies_count"): (
        f"FROM replies r WHERE r.topic_id = it.id AND {_LEFT} AND r.user_id <> it.user_id"
    ),
    ("topics", "likes_count"): "FROM topic_likes l WHERE l.topic_id = it.id",
    ("replies", "likes_count"): "FROM reply_likes l WHERE l.reply_id = it.id",
}
"""(table, column) → the rest of a SELECT count(*) of what it counts, `it` being the row."""

_LATEST = f"FROM replies r WHERE r.topic_id = it.id AND {_LEFT} ORDER BY r.id DESC LIMIT 1"

LATEST = {
    "last_reply_user_id": f"(SELECT r.user_id {_LATEST})",
    "replied_at": f"(SELECT r.created_at {_LATEST})",
    "last_active_at": f"COALESCE((SELECT r.created_at {_LATEST}), it.created_at)",
}
"""Column of topics → what it must be."""


def wrong_counts(table: str, column: str) -> str:
    """Return a SELECT of the ids of rows with a wrong counter."""
    right = f"(SELECT count(*) {COUNTERS[table, column]})"
    return f"SELECT it.id FROM {table} it WHERE it.{column} <> {right}"  # noqa: S608 - our own words


def wrong_latest(column: str) -> str:
    """Return a SELECT of the ids of topics with a wrong last reply."""
    right = LATEST[column]
    return f"SELECT it.id FROM topics it WHERE it.{column} IS DISTINCT FROM {right}"  # noqa: S608
