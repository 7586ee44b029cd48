"""The step that finds out who calls: the access token of a request."""

from ...oauth import tokens
from ...security.credentials import access_token
from ...text.ids import parse_id
from ..pipeline.network_blocks import enforce_blocks_changed_since
from . import operator
from .request import ForumRequest, caller_of


def authenticate(request: ForumRequest) -> bool:
    """Set the caller of a request; return False if its access token is wrong.

    Without a token the caller stays None. Raises Malformed; Forbidden for a blocked network.
    """
    if request.operator is not None:
        user = request.operator.user
        request.caller = operator.IDENTITY if user is None else caller_of(user, request)
        return True
    token = access_token(
        request.parameters.get_from_query_and_body("access_token"),
        request.headers.get("Authorization"),
    )
    if token is None:
        return True
    # Not in the request's transaction, which on SQLite would take the write lock here.
    row = tokens.find_by_access_token(request.executor, token, request.now, _topic_id(request))
    if row is None:
        return False
    request.caller = caller_of(row, request)
    request.access = row
    enforce_blocks_changed_since(request, row.access_version)
    return True


def _topic_id(request: ForumRequest) -> int | None:
    """Return the id of the topic that is read, or whose replies are."""
    match request.matchdict["traverse"]:
        case ("topics", name, *_) if not request.is_write:
            return parse_id(name)
    return None
