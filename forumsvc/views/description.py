"""GET /openapi.json and /openapi.yaml: the description of the API."""

from pyramid.response import Response

from ..openapi import Serialized
from ..permissions import Common
from ..resources.root import Root
from ..schemas.fields import Boolean, optional, parameters
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest

PARTS = parameters(optional("webhooks", Boolean(), True), optional("forms", Boolean(), False))


@api_view(Root, "GET", Common.VIEW, name="openapi.json", schema=PARTS)
def as_json(root: Root, request: ForumRequest) -> Response:
    return _response(request.registry.description.json(request.site.base_url, **request.validated))


@api_view(Root, "GET", Common.VIEW, name="openapi.yaml", schema=PARTS)
def as_yaml(root: Root, request: ForumRequest) -> Response:
    return _response(request.registry.description.yaml(request.site.base_url, **request.validated))


def _response(served: Serialized) -> Response:
    return Response(served.body, content_type=served.content_type)
