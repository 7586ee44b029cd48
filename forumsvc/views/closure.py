"""The endpoint that closes one's own account, and takes that back."""

from ..permissions import UserPermission as May
from ..resources.users import UserItem
from ..schemas.accounts import CLOSURE_FORM
from ..services import closures
from ..services.erasure import PostsErasure
from ..web import accounts
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.reauthentication import reauthenticate
from ..web.responses.results import Detail, Kind, Ok


def check_password(item: UserItem, request: ForumRequest) -> None:
    """Check the password that closing an account needs."""
    request.registry.abuse_limits.count_mail_request(request)
    reauthenticate(request, item.row.user_login, request.validated["password"])


@api_view(UserItem, "POST", May.CLOSE, name="closure", schema=CLOSURE_FORM, prework=check_password)
def close_account(item: UserItem, request: ForumRequest) -> Detail:
    """Have the caller's account closed after some days; a second time changes `posts` alone."""
    accounts.close(request, item.row.user_login, PostsErasure(request.validated["posts"]))
    return Detail(Kind.USER, item.reloaded())


@api_view(UserItem, "DELETE", May.CLOSE, name="closure")
def keep_account(item: UserItem, request: ForumRequest) -> Ok:
    """Let the caller's account stay."""
    closures.take_back(request.db, request.now, item.row.user_id)
    return Ok()
