"""GET /metrics: the metrics of all workers of this server, for Prometheus."""

from prometheus_client.exposition import choose_encoder
from pyramid.config import Configurator
from pyramid.response import Response

from ..permissions import Common
from ..resources.public import Public
from ..web.api.request import ForumRequest


def metrics(context: Public, request: ForumRequest) -> Response:
    """Return the metrics in the format that the client prefers."""
    encode, content_type = choose_encoder(request.headers.get("Accept", ""))
    collector = request.registry.metrics
    assert collector is not None, "there is no such route without metrics"  # noqa: S101
    response = Response(encode(collector))
    response.headers["Content-Type"] = content_type
    response.headers["Cache-Control"] = "no-store"
    return response


def includeme(config: Configurator) -> None:
    """Add the route."""
    config.add_route("metrics", "/metrics", factory=Public)
    config.add_view(metrics, route_name="metrics", request_method="GET", permission=Common.VIEW)
