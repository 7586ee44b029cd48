"""The endpoints of nodes."""

from ..permissions import Common, NodePermission, UserPermission
from ..queries import nodes
from ..resources.nodes import NodeItem, Nodes
from ..resources.users import UserItem
from ..schemas.nodes import CHANGED_NODE, DELETED_NODE, NEW_NODE
from ..services.posts import nodes as node_service
from ..services.posts import relations
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.http_cache.cache_policy import NODE_LIST
from ..web.responses.results import Detail, Kind, Listing, Ok

_MANAGE = NodePermission.MANAGE


@api_view(Nodes, "GET", Common.VIEW, cache_policy=NODE_LIST)
def list_nodes(container: Nodes, request: ForumRequest) -> Listing:
    result = nodes.all_nodes(request.db)
    return Listing(Kind.NODE, "nodes", result, total=len(result))


@api_view(Nodes, "POST", _MANAGE, schema=NEW_NODE)
def create_node(container: Nodes, request: ForumRequest) -> Detail:
    actor_id, values = request.actor_id_or_none, request.validated
    created_id = node_service.create(request.db, actor_id, request.now, **values)
    return Detail(Kind.NODE, container.get(created_id), is_new=True)


@api_view(NodeItem, "GET", Common.VIEW)
def read_node(item: NodeItem, request: ForumRequest) -> Detail:
    return Detail(Kind.NODE, item)


@api_view(NodeItem, "POST", NodePermission.MUTE, name="mute", locked="row")
def mute(item: NodeItem, request: ForumRequest) -> Ok:
    relations.mute_node(request.db, request.actor_id, request.now, item.row.id)
    return Ok()


@api_view(NodeItem, "POST", NodePermission.MUTE, name="unmute")
def unmute(item: NodeItem, request: ForumRequest) -> Ok:
    relations.unmute_node(request.db, request.actor_id, item.row.id)
    return Ok()


@api_view(UserItem, "GET", UserPermission.VIEW_MUTED, name="muted_nodes")
def list_muted(item: UserItem, request: ForumRequest) -> Listing:
    """List the nodes that the caller mutes."""
    result = nodes.muted_by(request.db, item.row.user_id)
    return Listing(Kind.NODE, "nodes", result, total=len(result))


@api_view(NodeItem, "PUT", _MANAGE, schema=CHANGED_NODE, locked="row")
def update_node(item: NodeItem, request: ForumRequest) -> Detail:
    """Change the parts of a node that the client sent."""
    actor_id, values = request.actor_id_or_none, request.validated
    node_service.edit(request.db, actor_id, request.now, item.row_id, values)
    return Detail(Kind.NODE, item.reloaded())


@api_view(NodeItem, "DELETE", _MANAGE, schema=DELETED_NODE)
def delete_node(item: NodeItem, request: ForumRequest) -> Ok:
    """Delete a node that has no topics, or move its topics to another one.

    It is not locked before: the service locks the topics first.
    """
    actor_id, values = request.actor_id_or_none, request.validated
    node_service.delete(request.db, actor_id, request.now, item.row_id, **values)
    return Ok()
