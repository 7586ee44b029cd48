"""GET /openapi.json and /openapi.yaml: the description of the API."""

from pyramid.response import Response

from ..openapi import Serialized
from ..permissions import Common
from ..resources.root import Root
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest


@api_view(Root, "GET", Common.VIEW, name="openapi.json")
def as_json(root: Root, request: ForumRequest) -> Response:
    return _response(request.registry.description.json)


@api_view(Root, "GET", Common.VIEW, name="openapi.yaml")
def as_yaml(root: Root, request: ForumRequest) -> Response:
    return _response(request.registry.description.yaml)


def _response(served: Serialized) -> Response:
    return Response(served.body, content_type=served.content_type)
