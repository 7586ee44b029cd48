"""The endpoints of the former texts of topics and replies."""

from ..permissions import VersionPermission as May
from ..queries import post_versions
from ..resources.post_versions import (
    PostVersionItem,
    PostVersions,
    ReplyVersionItem,
    ReplyVersions,
    TopicVersionItem,
    TopicVersions,
)
from ..schemas.paging import PAGED
from ..services.posts import post_versions as post_version_service
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.results import Kind, Listing, Ok


@api_view(TopicVersions, "GET", May.VIEW, schema=PAGED)
@api_view(ReplyVersions, "GET", May.VIEW, schema=PAGED)
def list_versions(container: PostVersions, request: ForumRequest) -> Listing:
    """List the former texts of a topic or reply, the newest first."""
    result = post_versions.of_post(
        request.db, container.post, request.page, with_hidden=container.with_hidden
    )
    return Listing(Kind.VERSION, "versions", *result)


@api_view(TopicVersionItem, "POST", May.HIDE, name="hide")
@api_view(ReplyVersionItem, "POST", May.HIDE, name="hide")
def hide_version(item: PostVersionItem, request: ForumRequest) -> Ok:
    """Hide a former text from all but moderators."""
    versions, actor_id = item.versions, request.actor_id_or_none
    post_version_service.hide(
        *(request.db, actor_id, request.now),
        *(versions.post, versions.topic_id, item.row),
    )
    return Ok()
