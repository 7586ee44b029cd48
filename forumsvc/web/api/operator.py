"""Requests of the `forumsvc` command, which calls the application in its own process."""

from typing import Any, NamedTuple

from ...models import Role
from ...permissions import Scope
from ...security.identity import Identity
from ...sessions.browser_sessions import NO_CLIENT

ENVIRON_KEY = "forumsvc.operator"
"""The key of the Operator in a request's environ. No client can set it: a server puts what clients
send into keys that begin with `HTTP_`.
"""

IDENTITY = Identity(None, None, Role.ADMIN, frozenset(Scope), NO_CLIENT)
"""The operator as a caller: has what moderators and admins have, and nothing that needs a user."""


class Operator(NamedTuple):
    """Who runs a command.

    system_user: their login name on this machine; actor_id: the user whom they say they are, for
    the log; user: the row of `browser_sessions.find_user` as whom the request acts, None: as the
    operator.
    """

    system_user: str
    actor_id: int | None = None
    user: Any = None
