"""From a view's result to the JSON of the answer. The only place that knows the envelope."""

from typing import Any

import orjson
from pyramid.config import Configurator

from .results import Count, Done, Listing, Result, Single


def bare(result: Result) -> Any:
    """Return the plain shape: an array for a list, the serializer's object for one resource."""
    match result:
        case Listing(items=items):
            return items
        case Single(item=item, abilities=None):
            return item
        case Single(item=item, abilities=abilities):
            return {**item, "abilities": abilities}
        case Count(count=count):
            return {"count": count}
        case Done():
            return {"ok": 1}


class ApiRenderer:
    """The renderer `api`."""

    def __init__(self, info: Any) -> None:
        """Take no options."""

    def __call__(self, result: Result, system: dict[str, Any]) -> bytes:
        """Return the body of the answer, and set its status and headers."""
        response = system["request"].response
        response.content_type = "application/json"
        if isinstance(result, Single) and result.location is not None:
            response.status_int = 201
            response.headers["Location"] = result.location
        return orjson.dumps(bare(result))


def includeme(config: Configurator) -> None:
    """Register the renderer."""
    config.add_renderer("api", ApiRenderer)
