"""GET /hello."""

from ..permissions import RootPermission
from ..presenters.hello import hello
from ..resources.root import Root
from ..web.api_view import api_view
from ..web.request import ForumRequest
from ..web.results import Single


@api_view(Root, "GET", RootPermission.HELLO, name="hello")
def say_hello(root: Root, request: ForumRequest) -> Single:
    """Tell whose token this is."""
    return Single("hello", hello(root.caller))
