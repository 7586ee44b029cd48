"""One policy for views and `abilities`: the ACLs along the lineage, then the token's scope."""

from collections.abc import Iterable
from typing import Any

from pyramid.authorization import ACLHelper
from pyramid.location import lineage
from pyramid.security import Allowed
from pyramid.security import Denied as RefusedByPolicy

from ..permissions import scope_of
from .identity import Identity
from .principals import principals_of

_acls = ACLHelper()


class MissingScope(RefusedByPolicy):
    """The ACLs grant it, the token does not; `scope` is what it lacks."""

    def __new__(cls, scope: str) -> "MissingScope":
        """Make the denial."""
        denial = super().__new__(cls, "the token lacks the scope %s", scope)
        denial.scope = scope
        return denial

    scope: str


def granted(identity: Identity | None, context: Any, permission: str) -> bool:
    """Return whether the ACLs along the context's lineage grant the permission to the caller."""
    return bool(_acls.permits(context, principals_of(identity), permission))


def decide(identity: Identity | None, context: Any, permission: str) -> Allowed | RefusedByPolicy:
    """Return whether the caller may do this here with this token, and if not why."""
    verdict = _acls.permits(context, principals_of(identity), permission)
    if verdict and identity is not None:
        scope = scope_of(permission)
        if scope is not None and scope not in identity.scopes:
            return MissingScope(scope)
    return verdict


def abilities(
    identity: Identity | None, context: Any, permissions: Iterable[str]
) -> dict[str, bool]:
    """Return what clients are told they may do, key by key from the policy itself."""
    place = _CallersAcl(identity, context)
    return {str(word): bool(decide(identity, place, word)) for word in permissions}


def cache_relevant_principals(identity: Identity | None, context: Any) -> tuple[str, ...]:
    """Return what of the caller decides over the abilities here: who has the same has the same.

    These are the principals held that the ACLs along the lineage name, and the token's scopes.
    """
    if identity is None:
        return ()
    named = {entry[1] for entry in _CallersAcl(identity, context).__acl__}
    return (*sorted(named), *sorted(identity.scopes))


class _CallersAcl:
    """A place whose lineage was asked once for what concerns the caller, to be judged often."""

    __slots__ = ("__acl__",)

    __parent__ = None

    def __init__(self, identity: Identity | None, context: Any) -> None:
        """Take the entries for the caller's principals, those of the context first."""
        held = principals_of(identity)
        self.__acl__ = [
            entry for place in lineage(context) for entry in place.__acl__() if entry[1] in held
        ]


class SecurityPolicy:
    """Pyramid's `ISecurityPolicy`, asking the above.

    `request.caller` is set by the root of the tree once it has accepted the token; until then, and
    on an error before it, the caller is nobody, and asking never raises.
    """

    def identity(self, request: Any) -> Identity | None:
        """Return who is asking, or None."""
        return request.caller

    def authenticated_userid(self, request: Any) -> int | None:
        """Return the caller's user id, or None."""
        return request.caller.user_id if request.caller else None

    def permits(self, request: Any, context: Any, permission: str) -> Allowed | RefusedByPolicy:
        """Return whether the caller may do this here."""
        return decide(request.caller, context, permission)

    def remember(self, request: Any, userid: Any, **kw: Any) -> list[tuple[str, str]]:
        """Return no headers: a token is not remembered by a cookie."""
        return []

    def forget(self, request: Any, **kw: Any) -> list[tuple[str, str]]:
        """Return no headers: there is nothing to forget."""
        return []
