"""The renderer of API responses, in the envelope that the settings choose."""

from typing import Any

import orjson
from pyramid.config import Configurator

from ..api.request import ForumRequest
from .envelope import BareEnvelope
from .keyed_envelope import KeyedEnvelope
from .links import page_headers, path_names, resource_url
from .results import Detail, Result, Uploaded

ENVELOPES: dict[str, type[BareEnvelope]] = {"bare": BareEnvelope, "keyed": KeyedEnvelope}


class ApiRenderer:
    def __init__(self, info: Any) -> None:
        self._envelope: BareEnvelope = info.registry.envelope

    def __call__(self, result: Result, system: dict[str, Any]) -> bytes:
        """Return the body of the response, and set its status and headers."""
        request = system["request"]
        request.result = result
        response = request.response
        response.content_type = "application/json"
        location = _location(result, request)
        if location is not None:
            response.status_int = self._envelope.created_status
            response.headers["Location"] = location
        response.headers.update(page_headers(result, request))
        return orjson.dumps(self._envelope.body(result, request))


def _location(result: Result, request: ForumRequest) -> str | None:
    match result:
        case Detail(item=item, is_new=True):
            return resource_url(request.base_url, path_names(item))
        case Uploaded(url=url):
            return url
    return None


def includeme(config: Configurator) -> None:
    config.registry.envelope = ENVELOPES[config.registry.forum_settings["api.envelope"]]()
    config.add_renderer("api", ApiRenderer)
