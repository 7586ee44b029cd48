"""The Hello response."""

from typing import Any

from ..security.identity import Identity


def hello(caller: Identity | None) -> dict[str, Any]:
    """Return the login of the token's user."""
    return {"current_user": None if caller is None else caller.login}
