"""/settings/closure: closing one's own account, and keeping it after all."""

from pyramid.config import Configurator
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
from ..page_tree import own_page
from ..views import add_page
from .password_check import check_current_password


def show(item: UserItem, request: ForumRequest) -> Values:
    return form(**_others(item, request))


def submit(item: UserItem, request: ForumRequest) -> Response | Values:
    """Have the account closed."""

    def close(values: Values) -> Response:
        request.registry.abuse_limits.count_mail_request(request)
        login = item.row.user_login
        check_current_password(request, login, values["current_password"])
        accounts.close(request, login, PostsErasure(values["posts"]))
        return redirect_with_message(request, "closure-begun", "own_data")

    return process_form(request, CLOSURE_PAGE_FORM, close, **_others(item, request))


def keep(item: UserItem, request: ForumRequest) -> Response:
    """Let the account stay."""
    closures.take_back(request.db, request.now, item.row.user_id)
    return redirect_with_message(request, "closure-taken-back", "own_data")


def _others(item: UserItem, request: ForumRequest) -> Values:
    return {"row": item.row, "days": request.settings["accounts.closure_days"]}


def includeme(config: Configurator) -> None:
    path = "/settings/closure"
    add_page(config, "closure", path, own_page, May.CLOSE, show, submit, template="closure")
    add_page(config, "keep_account", f"{path}/keep", own_page, May.CLOSE, submit=keep)
