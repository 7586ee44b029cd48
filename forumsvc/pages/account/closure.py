"""/settings/closure: closing one's own account, and keeping it after all."""

from pyramid.response import Response

from ...permissions import UserPermission as May
from ...resources.users import UserItem
from ...schemas.accounts import CLOSURE_PAGE_FORM
from ...services import closures
from ...services.erasure import PostsErasure
from ...web import accounts
from ...web.api.request import ForumRequest
from ..flash_messages import redirect_with_message
from ..forms import Values, form, process_form
from ..page import page, page_form
from ..page_tree import own_page
from .password_check import check_current_password


@page("closure", "/settings/closure", own_page, May.CLOSE, "closure")
def show(item: UserItem, request: ForumRequest) -> Values:
    return form(**_others(item, request))


@page_form(show)
def submit(item: UserItem, request: ForumRequest) -> Response | Values:
    """Have the account closed."""

    def close(values: Values) -> Response:
        request.registry.abuse_limits.count_mail_request(request)
        login = item.row.user_login
        check_current_password(request, login, values["current_password"])
        accounts.close(request, login, PostsErasure(values["posts"]))
        return redirect_with_message(request, "closure-begun", "own_data")

    return process_form(request, CLOSURE_PAGE_FORM, close, **_others(item, request))


@page("keep_account", "/settings/closure/keep", own_page, May.CLOSE, method="POST")
def keep(item: UserItem, request: ForumRequest) -> Response:
    """Let the account stay."""
    closures.take_back(request.db, request.now, item.row.user_id)
    return redirect_with_message(request, "closure-taken-back", "own_data")


def _others(item: UserItem, request: ForumRequest) -> Values:
    return {"row": item.row, "days": request.settings["accounts.closure_days"]}
