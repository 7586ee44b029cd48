"""POST /topics/:id/action: a view with its own permission for each type."""

from collections.abc import Callable
from functools import partial

from ..errors import Invalid
from ..models.states import ACTION_TYPES, BANNED, Change
from ..permissions import TopicPermission as May
from ..resources.topics import TopicItem
from ..schemas.fields import quoted
from ..schemas.restrictions import REASON_FORM
from ..services.posts import topics
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.results import Ok

View = Callable[[TopicItem, ForumRequest], Ok]
_action = partial(api_view, TopicItem, "POST", schema=REASON_FORM, locked="state")


def _for_each_type(view: View) -> View:
    for word, change in ACTION_TYPES.items():
        deprecated = word if word == change.former_word else None
        declare = partial(_action, May(word), name="action", own_parameters=("type",))
        declare(action=word, deprecated=deprecated)(view)
    return view


@_for_each_type
def act(item: TopicItem, request: ForumRequest) -> Ok:
    """Change the state of a topic as the parameter `type` says."""
    return _change(ACTION_TYPES[str(request.parameters.get_from_query("type"))], item, request)


@_action(May.BAN, name="ban", deprecated="banTopic")
def ban(item: TopicItem, request: ForumRequest) -> Ok:
    """Hide a topic, for older clients."""
    return _change(BANNED.begin, item, request)


def _change(change: Change, item: TopicItem, request: ForumRequest) -> Ok:
    reason = request.validated["reason"]
    by = request.actor_id_or_none, request.now
    topics.change(change.event, request.db, *by, item.row, reason)
    return Ok(item.reloaded())


@api_view(TopicItem, "POST", May.ACT, name="action", own_parameters=("type", "reason"))
def unknown(item: TopicItem, request: ForumRequest) -> Ok:
    """Refuse every other type."""
    type_ = request.parameters.get_from_query("type")
    problem = "is required" if type_ is None else f"not {quoted(type_)}"
    raise Invalid("type", f"must be one of {', '.join(ACTION_TYPES)}; {problem}")
