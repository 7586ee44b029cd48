"""The preference `handling=strict` (RFC 7240): unknown parameters are refused, not ignored."""

import re
from typing import Any

from ...errors import Invalid
from ...schemas.fields import quoted
from ...schemas.including import schema_of
from ...text.messages import Message
from .request import ForumRequest

_TOKEN = "access_token"  # noqa: S105  # the name of a parameter
_APPLIED = "handling=strict"
_MAX_LENGTH = 1000
"""Of a header that is read; a longer one is ignored, as every preference may be."""
_ELEMENT = re.compile(r'(?:[^,"]|"(?:[^"\\]|\\.)*"?)+')
_INDEX = re.compile(r"\[[0-9]{0,9}\]$")


def is_strict(header: str | None) -> bool:
    """Return whether a header Prefer asks for `handling=strict`; its first `handling` counts."""
    if header is None or len(header) > _MAX_LENGTH:
        return False
    for element in _ELEMENT.findall(header):
        name, _, value = element.partition(";")[0].partition("=")
        if name.strip().lower() == "handling":
            return bool(value.strip().strip('"').lower() == "strict")
    return False


def strict_deriver(view: Any, info: Any) -> Any:
    """Refuse parameters that a view of the API does not know, where the client asks for that."""
    names: tuple[str, ...] | None = info.options.get("own_parameters")
    if names is None:
        return view
    schema = info.options.get("schema")
    nodes = () if schema is None else schema_of(schema, info.registry.forum_settings).children
    known = {_TOKEN, *names, *(node.name for node in nodes)}
    lists = {node.name for node in nodes if getattr(node.typ, "is_list", False)}

    def strict_view(context: Any, request: ForumRequest) -> Any:
        if "HTTP_PREFER" in request.environ and is_strict(request.headers["Prefer"]):
            request.add_response_callback(_announce)
            for name in request.parameters.names:
                if name not in known and _INDEX.sub("", name) not in lists:
                    reason = Message("is no parameter of this call")
                    raise Invalid(quoted(name)[1:-1], reason)
        return view(context, request)

    return strict_view


strict_deriver.options = ("own_parameters",)  # type: ignore[attr-defined]  # Pyramid's protocol


def _announce(request: ForumRequest, response: Any) -> None:
    response.headers["Preference-Applied"] = _APPLIED
