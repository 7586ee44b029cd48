"""Permissions that a parameter needs, beside the one of its view."""

from typing import Any

from ...errors import Forbidden, InsufficientScope, Unauthenticated
from ...security.denial import NO_USER
from ...security.policy import MissingScope, decide
from ...text.error_codes import ErrorCode
from ...text.messages import Message
from .request import ForumRequest


def require(
    request: ForumRequest, context: Any, permission: str, parameter: str, reason: str | None = None
) -> None:
    """Check that the caller has a permission.

    parameter: what needs it, for the message; reason: why others may not, where nothing else is
    known. Raises Unauthenticated, InsufficientScope, Forbidden.
    """
    verdict = decide(request.caller, context, permission)
    if verdict:
        return
    if request.caller is None:
        raise Unauthenticated(Message("%(parameter)s needs an access token.", parameter=parameter))
    if isinstance(verdict, MissingScope):
        raise InsufficientScope(verdict.scope)
    if request.caller.user_id is None and reason is None:
        raise Forbidden(NO_USER)
    if reason is None:
        not_yours = Message("%(parameter)s: this is not yours.", parameter=parameter)
        raise Forbidden(not_yours.coded(ErrorCode.NOT_YOURS))
    raise Forbidden(Message("%(parameter)s: %(reason)s", parameter=parameter, reason=reason))
