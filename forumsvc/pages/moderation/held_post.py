"""/held/:id: one's own post that waits for a moderator, and a button to take it back."""

from pyramid.config import Configurator
from pyramid.response import Response

from ...models import HeldState
from ...permissions import Common, HeldPermission
from ...presenters.held_posts import hold_reason
from ...resources.held_posts import HeldPostItem
from ...services.moderation import held_posts as held_post_service
from ...web.api.request import ForumRequest
from ..forms import Values
from ..lines import Moment
from ..page_tree import held_post_page
from ..paths import post_path, see_other
from ..views import add_page


def show_held_post(item: HeldPostItem, request: ForumRequest) -> Values:
    """Return the values of the page."""
    row = item.row
    return {
        "post": row,
        "reason": hold_reason(row.reason),
        "written": Moment.of(request, row.created_at),
        "path": post_path(request, row.topic_id, row.reply_id),
        "is_waiting": row.state == HeldState.WAITING,
    }


def withdraw(item: HeldPostItem, request: ForumRequest) -> Response:
    """Take the post back."""
    held_post_service.withdraw(request.db, request.now, item.row)
    return see_other(request.path)


def includeme(config: Configurator) -> None:
    add_page(
        config,
        "held_post",
        r"/held/{held_id:\d+}",
        held_post_page,
        Common.VIEW,
        show_held_post,
        withdraw,
        template="held_post",
        submit_permission=HeldPermission.WITHDRAW,
    )
