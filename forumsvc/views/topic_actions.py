"""POST /topics/:id/action: a view with its own permission for each type."""

from ..errors import Invalid
from ..permissions import TopicPermission as May
from ..resources.topics import TopicItem
from ..schemas.fields import quoted
from ..services import topics
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.results import Ok

_TYPES = (May.BAN, May.UNBAN, May.NORMAL, May.EXCELLENT, May.UNEXCELLENT, May.CLOSE, May.OPEN)


@api_view(TopicItem, "POST", May.BAN, name="action", action="ban", locked="state")
@api_view(TopicItem, "POST", May.BAN, name="ban", locked="state")
def ban(item: TopicItem, request: ForumRequest) -> Ok:
    """Hide a topic. Older clients use the path /ban."""
    topics.ban(request.db, request.actor_id, request.now, item.row)
    return Ok()


@api_view(TopicItem, "POST", May.UNBAN, name="action", action="unban", locked="state")
@api_view(TopicItem, "POST", May.NORMAL, name="action", action="normal", locked="state")
def unban(item: TopicItem, request: ForumRequest) -> Ok:
    """Show a banned topic again."""
    topics.unban(request.db, request.actor_id, request.now, item.row)
    return Ok()


@api_view(TopicItem, "POST", May.EXCELLENT, name="action", action="excellent", locked="state")
def feature(item: TopicItem, request: ForumRequest) -> Ok:
    """Mark a topic as excellent."""
    topics.feature(request.db, request.actor_id, request.now, item.row)
    return Ok()


@api_view(TopicItem, "POST", May.UNEXCELLENT, name="action", action="unexcellent", locked="state")
def unfeature(item: TopicItem, request: ForumRequest) -> Ok:
    """Remove the mark `excellent` from a topic."""
    topics.unfeature(request.db, request.actor_id, request.now, item.row)
    return Ok()


@api_view(TopicItem, "POST", May.CLOSE, name="action", action="close", locked="state")
def close(item: TopicItem, request: ForumRequest) -> Ok:
    """Close a topic."""
    topics.close(request.db, request.actor_id, request.now, item.row)
    return Ok()


@api_view(TopicItem, "POST", May.OPEN, name="action", action="open", locked="state")
def open_again(item: TopicItem, request: ForumRequest) -> Ok:
    """Reopen a closed topic."""
    topics.open_again(request.db, request.actor_id, request.now, item.row)
    return Ok()


@api_view(TopicItem, "POST", May.ACT, name="action")
def unknown(item: TopicItem, request: ForumRequest) -> Ok:
    """Refuse every other type."""
    given = request.parameters.get("type")
    found = "is required" if given is None else f"not {quoted(given)}"
    raise Invalid("type", f"must be one of {', '.join(_TYPES)}; {found}")
