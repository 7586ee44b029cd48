"""The endpoints of sections, the groups of nodes."""

from ..permissions import Common, NodePermission
from ..queries import nodes as reading
from ..resources.nodes import SectionItem, Sections
from ..schemas.nodes import CHANGED_SECTION, NEW_SECTION
from ..services.posts import sections
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.results import Detail, Kind, Listing, Ok

_MANAGE = NodePermission.MANAGE


@api_view(Sections, "GET", Common.VIEW)
def list_sections(container: Sections, request: ForumRequest) -> Listing:
    return Listing(Kind.SECTION, "sections", reading.all_sections(request.db))


@api_view(Sections, "POST", _MANAGE, schema=NEW_SECTION)
def create_section(container: Sections, request: ForumRequest) -> Detail:
    actor_id, values = request.actor_id_or_none, request.validated
    created_id = sections.create(request.db, actor_id, request.now, **values)
    return Detail(Kind.SECTION, container.get(created_id), is_new=True)


@api_view(SectionItem, "GET", Common.VIEW)
def read_section(item: SectionItem, request: ForumRequest) -> Detail:
    return Detail(Kind.SECTION, item)


@api_view(SectionItem, "PUT", _MANAGE, schema=CHANGED_SECTION, locked="row")
def update_section(item: SectionItem, request: ForumRequest) -> Detail:
    """Change the parts of a section that the client sent."""
    actor_id, values = request.actor_id_or_none, request.validated
    sections.edit(request.db, actor_id, request.now, item.row_id, values)
    return Detail(Kind.SECTION, item.reloaded())


@api_view(SectionItem, "DELETE", _MANAGE, locked="row")
def delete_section(item: SectionItem, request: ForumRequest) -> Ok:
    """Delete a section that has no nodes."""
    sections.delete(request.db, request.actor_id_or_none, request.now, item.row_id)
    return Ok()
