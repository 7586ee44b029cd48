"""The context of public routes beside the API's tree."""

from typing import Any

from pyramid.authorization import Allow

from ..permissions import Common
from ..security import principals


class Public:
    """The context of routes that everybody may read, such as those of photos."""

    def __init__(self, request: Any) -> None:
        """Take the request, as Pyramid requires of a route's factory."""

    def __acl__(self) -> list[tuple[str, str, Any]]:
        """Everybody may view."""
        return [(Allow, principals.EVERYONE, Common.VIEW)]

    def denial_reason(self, permission: str) -> str | None:
        """Return None: there is no special reason."""
        return None
