"""What stands beside the API's tree and everybody may read."""

from typing import Any

from pyramid.authorization import Allow

from ..permissions import Common
from ..security import principals


class Public:
    """The context of plain addresses such as those of pictures."""

    def __init__(self, request: Any) -> None:
        """Need nothing of the request."""

    def __acl__(self) -> list[tuple[str, str, Any]]:
        """Let everybody look."""
        return [(Allow, principals.EVERYONE, Common.VIEW)]

    def denial_reason(self, permission: str) -> str | None:
        """Return nothing to add."""
        return None
