"""From a path to a resource: authentication, rate limits, and a strict traversal.

Pyramid's own traverser accepts `/topics/5/like/x/y` and `/topics/5/@@like`, and a header can move
its root.
"""

from collections import deque
from typing import Any

from pyramid.interfaces import ITraverser
from sqlalchemy import Row
from zope.interface import implementer

from ...errors import BadToken
from ...oauth import first_use, tokens
from ...resources.base import Resource
from ...resources.root import Root
from ...security.credentials import access_token
from ...security.identity import identify
from .methods import MethodTable
from .request import ForumRequest, newbie_duration

ROUTE = "api"
_SUFFIX = ".json"


def make_root(request: ForumRequest) -> Root:
    """Authenticate a request, count it for its rate limits and return its tree.

    The factory of the API's route. Raises Malformed, BadToken, RateLimited.
    """
    token = access_token(
        request.parameters.get_from_query_and_body("access_token"),
        request.headers.get("Authorization"),
    )
    if token is not None:
        # Not in the request's transaction, which on SQLite would take the write lock here.
        row = _find_token(request, token)
        if row is not None:
            request.caller = identify(row, request.now, newbie_duration(request.settings))
            request.lists_version = row.lists_version
    # Before any other work. A request with a wrong token counts for its address.
    request.registry.request_limits.count(request)
    if token is not None and request.caller is None:
        raise BadToken("The access token is wrong, expired or revoked.")
    return Root(request, request.caller, is_write=request.is_write)


def _find_token(request: ForumRequest, token: str) -> Row[Any] | None:
    """Return the row of a valid token or None; record the first use of a token."""
    row = tokens.find_by_access_token(request.executor, token, request.now)
    grace = request.settings["oauth.refresh_grace"]
    if row is None or not first_use.must_be_recorded(row, grace, request.now):
        return row
    with request.registry.database.session.begin() as db:
        return row if first_use.record(db, row.token_id, request.now) else None


@implementer(ITraverser)
class StrictTraverser:
    """Traverses the tree as far as possible. The rest may only be the name of one view."""

    def __init__(self, root: Resource) -> None:
        """Start at `root`."""
        self.root = root

    def __call__(self, request: ForumRequest) -> dict[str, Any]:
        """Return the context and view name of a path, as Pyramid's router expects them."""
        methods: MethodTable = request.registry.methods
        names = _segments(request.matchdict["traverse"], request.environ["PATH_INFO"])
        context: Resource = self.root
        while names:
            child = _child(context, names[0])
            if child is None and _has_redundant_suffix(methods, context, names):
                names[0] = names[0].removesuffix(_SUFFIX)
                child = _child(context, names[0])
            if child is None:
                break
            context = child
            names.popleft()
        view_name = names.popleft() if names else ""
        return {
            "context": context,
            "view_name": _NO_VIEW if names else view_name,
            "subpath": (),
            "traversed": (),
            "virtual_root": self.root,
            "virtual_root_path": (),
            "root": self.root,
        }


def _has_redundant_suffix(methods: MethodTable, context: Resource, names: deque[str]) -> bool:
    name = names[0]
    return len(names) == 1 and name.endswith(_SUFFIX) and methods.of(ROUTE, context, name) is None


# No view has this name: a path that continues after a view's name does not exist.
_NO_VIEW = "/"


def _child(context: Resource, name: str) -> Resource | None:
    try:
        return context[name]
    except KeyError:
        return None


def _segments(traverse: tuple[str, ...], path_info: str) -> deque[str]:
    """Return the path's segments; for dot or empty segments, a name that does not exist."""
    inner = f"{path_info.removesuffix('/')}/"
    if "//" in inner or "/./" in inner or "/../" in inner:
        return deque((_NO_VIEW,))
    return deque(traverse)
