"""GET /hello."""

from ..permissions import RootPermission
from ..resources.root import Root
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.responses.results import Hello


@api_view(Root, "GET", RootPermission.HELLO, name="hello")
def say_hello(root: Root, request: ForumRequest) -> Hello:
    """Return the login of the token's user."""
    assert request.caller is not None, "the ACL grants this to users only"  # noqa: S101
    return Hello(request.caller.login or "")
