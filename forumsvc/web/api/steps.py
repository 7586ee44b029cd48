"""The steps of an API request between its route and its view, in the order in which they run.

`make_tree` has those before the traversal, `VIEW_STEPS` those around a view. Nothing else happens
there; docs/architecture.md has the whole way, and which step answers which status.
"""

from typing import Any

from pyramid.config import Configurator

from ...errors import BadToken
from ...resources.root import Root
from ..http_cache.conditional_requests import http_cache_deriver
from ..responses.loading import loading_deriver
from .api_view import schema_deriver
from .authentication import authenticate
from .deprecation import deprecated_deriver
from .idempotency import idempotent_deriver, replayed_deriver
from .locking import locked_deriver
from .preferences import strict_deriver
from .prework import prework_deriver
from .request import ForumRequest
from .traversal import ROUTE, StrictTraverser


def make_tree(request: ForumRequest) -> Root:
    """Return the resource tree for a request after the steps before it.

    Pyramid calls it as the factory of the route. Raises Malformed, RateLimited, BadToken.
    """
    has_valid_token = authenticate(request)
    # A request with a wrong token counts for its address.
    request.registry.request_limits.count(request)
    if not has_valid_token:
        raise BadToken("The access token is wrong, expired or revoked.")
    return Root(request, request.caller, is_write=request.is_write)


VIEW_STEPS: tuple[tuple[str, Any], ...] = (
    ("deprecated", deprecated_deriver),
    ("strict", strict_deriver),
    ("schema", schema_deriver),
    ("replayed", replayed_deriver),
    ("prework", prework_deriver),
    ("idempotent", idempotent_deriver),
    ("locked", locked_deriver),
    ("http_cache", http_cache_deriver),
)
"""The view derivers between Pyramid's check of the permission and its renderer, outermost first."""


def includeme(config: Configurator) -> None:
    """Register the route, the traverser and the derivers."""
    config.add_route(ROUTE, "/api/v3/*traverse", factory=make_tree)
    config.add_traverser(StrictTraverser, Root)
    before = None
    for name, deriver in VIEW_STEPS:
        config.add_view_deriver(deriver, name=name, under=before)
        before = name
    config.add_view_deriver(loading_deriver, "loading", under="rendered_view", over="mapped_view")
