"""/settings/forum: what admins see to, with the links to the forms."""

from typing import NamedTuple

from ...markup.text_content import text_content
from ...models import SITE_FIELDS, SiteField
from ...permissions import NodePermission
from ...queries import nodes as reading
from ...queries import staff
from ...queries.invitations import open_invitations
from ...resources.nodes import Nodes
from ...services.accounts import invitations
from ...web.api.request import ForumRequest
from ..about import site_html
from ..flash_messages import flash_message
from ..forms import Values
from ..lines import Person
from ..page import page
from ..page_tree import administration_page
from ..paths import node_path
from ..previews import beginning
from . import service


class _SiteText(NamedTuple):
    """A text of the site as people see it. summary: its beginning, "" where it is short."""

    field: SiteField
    shown: str
    summary: str = ""


@page(
    "administration",
    "/settings/forum",
    administration_page,
    NodePermission.MANAGE,
    "overview",
)
def show(context: Nodes, request: ForumRequest) -> Values:
    """Return the nodes by their sections, the staff, and the texts of the site."""
    nodes = reading.by_section(reading.all_nodes(request.db))
    sections = reading.all_sections(request.db)
    people = staff.staff(request.db, request.now)
    return {
        "groups": [
            (section, [node for node in nodes if node.section_id == section_id])
            for section, section_id in [(None, None), *((one, one.id) for one in sections)]
        ],
        "has_nodes": bool(nodes),
        "path_of": lambda node: node_path(request, node.id),
        "invited": len(open_invitations(request.read_connection, request.now - invitations.TTL)),
        "people": [(Person.of(request, row), row.role) for row in people],
        "texts": [_shown(request, item) for item in SITE_FIELDS],
        "level_names": request.site.level_names,
        "own": request.site_texts.own,
        "facts": service.facts(request),
        "sends_mail": request.sends_mail,
        "test_mail": service.last_test_mail(request),
        "flash_message": flash_message(request),
    }


def _shown(request: ForumRequest, item: SiteField) -> _SiteText:
    text = getattr(request.site_texts, item.name)
    if not text or item.kind not in ("markdown", "inline"):
        return _SiteText(item, text)
    html = site_html(request, text, levels=2)
    content = " ".join(text_content(html).split())
    summary = beginning(content)
    return _SiteText(item, html, "" if summary == content else summary)
