"""The renderer of API responses, in the envelope that the settings choose."""

from typing import Any

import orjson
from pyramid.config import Configurator

from .envelope import Bare
from .keyed_envelope import Keyed
from .links import page_headers
from .results import Detail, Result, Uploaded

ENVELOPES: dict[str, type[Bare]] = {"bare": Bare, "keyed": Keyed}


class ApiRenderer:
    """The renderer `api`."""

    def __init__(self, info: Any) -> None:
        self._envelope: Bare = info.registry.envelope

    def __call__(self, result: Result, system: dict[str, Any]) -> bytes:
        """Return the body of the response, and set its status and headers."""
        request = system["request"]
        response = request.response
        response.content_type = "application/json"
        location = _location(result)
        if location is not None:
            response.status_int = self._envelope.created_status
            response.headers["Location"] = location
        response.headers.update(page_headers(result, request))
        return orjson.dumps(self._envelope.body(result, request))


def _location(result: Result) -> str | None:
    match result:
        case Detail(location=location):
            return location
        case Uploaded(url=url):
            return url
    return None


def includeme(config: Configurator) -> None:
    """Register the renderer."""
    config.registry.envelope = ENVELOPES[config.registry.forum_settings["api.envelope"]]()
    config.add_renderer("api", ApiRenderer)
