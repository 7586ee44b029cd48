"""POST /topics/:id/action: a view with its own permission for each type."""

from collections.abc import Callable
from functools import partial

from ..errors import Invalid
from ..permissions import TopicPermission as May
from ..resources.topics import TopicItem
from ..schemas.fields import quoted
from ..schemas.restrictions import REASON_FORM
from ..services import topics
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.results import Ok

_action = partial(api_view, TopicItem, "POST", schema=REASON_FORM, locked="state")
_TYPES = (May.BAN, May.UNBAN, May.NORMAL, May.EXCELLENT, May.UNEXCELLENT, May.CLOSE, May.OPEN)


@_action(May.BAN, name="action", action="ban")
@_action(May.BAN, name="ban", deprecated="banTopic")
def ban(item: TopicItem, request: ForumRequest) -> Ok:
    """Hide a topic. Older clients use the path /ban."""
    return _call(topics.ban, item, request)


@_action(May.UNBAN, name="action", action="unban")
@_action(May.NORMAL, name="action", action="normal", deprecated="normal")
def unban(item: TopicItem, request: ForumRequest) -> Ok:
    """Show a banned topic again."""
    return _call(topics.unban, item, request)


@_action(May.EXCELLENT, name="action", action="excellent")
def feature(item: TopicItem, request: ForumRequest) -> Ok:
    """Mark a topic as excellent."""
    return _call(topics.feature, item, request)


@_action(May.UNEXCELLENT, name="action", action="unexcellent")
def unfeature(item: TopicItem, request: ForumRequest) -> Ok:
    """Remove the mark `excellent` from a topic."""
    return _call(topics.unfeature, item, request)


@_action(May.CLOSE, name="action", action="close")
def close(item: TopicItem, request: ForumRequest) -> Ok:
    return _call(topics.close, item, request)


@_action(May.OPEN, name="action", action="open")
def open_again(item: TopicItem, request: ForumRequest) -> Ok:
    """Reopen a closed topic."""
    return _call(topics.open_again, item, request)


def _call(service: Callable[..., object], item: TopicItem, request: ForumRequest) -> Ok:
    reason = request.validated["reason"]
    service(request.db, request.actor_id, request.now, item.row, reason)
    return Ok(item.reloaded())


@api_view(TopicItem, "POST", May.ACT, name="action")
def unknown(item: TopicItem, request: ForumRequest) -> Ok:
    """Refuse every other type."""
    given = request.parameters.get_from_query("type")
    found = "is required" if given is None else f"not {quoted(given)}"
    raise Invalid("type", f"must be one of {', '.join(_TYPES)}; {found}")
