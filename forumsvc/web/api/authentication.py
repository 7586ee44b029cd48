"""The step that finds out who calls: the access token of a request."""

from ...oauth import first_use, tokens
from ...queries.rows import AccessRow
from ...security.credentials import access_token
from ..pipeline.network_blocks import notice_blocks_version
from .request import ForumRequest, caller_of


def authenticate(request: ForumRequest) -> bool:
    """Set the caller of a request; return False if its access token is wrong.

    Without a token the caller stays None. Raises Malformed; Forbidden for a blocked network.
    """
    token = access_token(
        request.parameters.get_from_query_and_body("access_token"),
        request.headers.get("Authorization"),
    )
    if token is None:
        return True
    # Not in the request's transaction, which on SQLite would take the write lock here.
    row = _find_token(request, token)
    if row is None:
        return False
    request.caller = caller_of(row, request)
    request.lists_version = row.lists_version
    notice_blocks_version(request, row.access_version)
    return True


def _find_token(request: ForumRequest, token: str) -> AccessRow | None:
    """Return the row of a valid token or None; record the first use of a token."""
    row = tokens.find_by_access_token(request.executor, token, request.now)
    grace = request.settings["oauth.refresh_grace"]
    if row is None or not first_use.must_be_recorded(row, grace, request.now):
        return row
    with request.registry.database.session.begin() as db:
        return row if first_use.record(db, row.token_id, request.now) else None
