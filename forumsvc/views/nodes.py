"""The node endpoints."""

from ..permissions import Common
from ..queries import nodes
from ..resources.nodes import NodeItem, Nodes
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.http_cache.cache_policy import NODE_LIST
from ..web.responses.results import Detail, Kind, Listing


@api_view(Nodes, "GET", Common.VIEW, cache_policy=NODE_LIST)
def list_nodes(container: Nodes, request: ForumRequest) -> Listing:
    result = nodes.all_nodes(request.db)
    return Listing(Kind.NODE, "nodes", result, total=len(result))


@api_view(NodeItem, "GET", Common.VIEW)
def read_node(item: NodeItem, request: ForumRequest) -> Detail:
    return Detail(Kind.NODE, item)
