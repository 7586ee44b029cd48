"""The header `Deprecation` (RFC 9745) of what stays for older clients: `deprecated=` of a view."""

from typing import Any

from ...openapi.deprecations import SINCE
from .request import ForumRequest


def deprecated_deriver(view: Any, info: Any) -> Any:
    """Add the header to whatever a request to a deprecated view is answered with."""
    name: str | None = info.options.get("deprecated")
    if name is None:
        return view
    since = f"@{int(SINCE[name].timestamp())}"

    def announce(request: ForumRequest, response: Any) -> None:
        response.headers["Deprecation"] = since

    def deprecated(context: Any, request: ForumRequest) -> Any:
        request.add_response_callback(announce)
        return view(context, request)

    return deprecated


deprecated_deriver.options = ("deprecated",)  # type: ignore[attr-defined]  # Pyramid's protocol
