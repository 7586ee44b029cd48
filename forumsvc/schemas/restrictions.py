"""The parameters of what moderators do with a reason: silences, warnings and the like."""

from ..services.moderation.restrictions import HiddenPosts
from .fields import Choice, Id, Integer, Lines, Moment, optional, parameters, required

MAX_REASON = 500
MAX_NOTE = 2_000
MAX_DAYS = 3_650

REASON_FORM = parameters(optional("reason", Lines(0, MAX_REASON)))
"""What may be done with a reason."""

SILENCE_FORM = parameters(
    required("reason", Lines(1, MAX_REASON)),
    optional("days", Integer(1, MAX_DAYS)),
    optional("until", Moment()),
    optional("note", Lines(0, MAX_NOTE), ""),
    optional("hide_posts", Choice(HiddenPosts), str(HiddenPosts.NONE)),
)
"""`days` and `until` exclude each other."""

WARNING_FORM = parameters(
    required("reason", Lines(1, MAX_REASON)),
    optional("note", Lines(0, MAX_NOTE), ""),
    optional("topic_id", Id()),
    optional("reply_id", Id()),
)
