"""One policy for views and `abilities`: the ACLs along the lineage, then the token's scope."""

from collections.abc import Iterable
from typing import Any

from pyramid.authorization import ACLHelper
from pyramid.location import lineage
from pyramid.security import Allowed
from pyramid.security import Denied as PolicyDenied

from ..permissions import scope_of
from .identity import Identity
from .principals import principals_of

_acls = ACLHelper()


class MissingScope(PolicyDenied):
    """The ACLs grant the permission, but the token lacks `scope`."""

    def __new__(cls, scope: str) -> "MissingScope":
        denial = super().__new__(cls, "the token lacks the scope %s", scope)
        denial.scope = scope
        return denial

    scope: str


def granted(identity: Identity | None, context: Any, permission: str) -> bool:
    """Return whether the ACLs along the context's lineage grant the permission to the caller."""
    return bool(_acls.permits(context, principals_of(identity), permission))


def decide(identity: Identity | None, context: Any, permission: str) -> Allowed | PolicyDenied:
    """Return whether the caller has the permission with this token, and if not, why."""
    verdict = _acls.permits(context, principals_of(identity), permission)
    if verdict and identity is not None:
        scope = scope_of(permission)
        if scope is not None and scope not in identity.scopes:
            return MissingScope(scope)
    return verdict


def abilities(
    identity: Identity | None, context: Any, permissions: Iterable[str]
) -> dict[str, bool]:
    """Return for each permission whether the caller has it: the `abilities` of a response."""
    acl = _CallersAcl(identity, context)
    return {str(permission): bool(decide(identity, acl, permission)) for permission in permissions}


def cache_relevant_principals(identity: Identity | None, context: Any) -> tuple[str, ...]:
    """Return the principals and scopes that can change `abilities` for this context.

    Callers with equal ones can share a cached response. These are the caller's principals that the
    ACLs along the lineage name, and the token's scopes.
    """
    if identity is None:
        return ()
    named = {entry[1] for entry in _CallersAcl(identity, context).__acl__}
    return (*sorted(named), *sorted(identity.scopes))


class _CallersAcl:
    """The entries of a lineage's ACLs for one caller, collected once for many permissions."""

    __slots__ = ("__acl__",)

    __parent__ = None

    def __init__(self, identity: Identity | None, context: Any) -> None:
        """Collect the entries for the caller's principals, those of the context first."""
        held = principals_of(identity)
        self.__acl__ = [
            entry for node in lineage(context) for entry in node.__acl__() if entry[1] in held
        ]


class SecurityPolicy:
    """The part of Pyramid's `ISecurityPolicy` that is called.

    `web.api.authentication` sets `request.caller` once it has found the token. Before that, and
    after an error, the caller is None. No method raises.
    """

    def identity(self, request: Any) -> Identity | None:
        return request.caller

    def permits(self, request: Any, context: Any, permission: str) -> Allowed | PolicyDenied:
        return decide(request.caller, context, permission)
