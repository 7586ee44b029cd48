"""Accounts: signing up, confirming an address, closing an account, exports of its data."""

from pyramid.response import Response

from ..permissions import UserPermission as May
from ..resources.users import UserItem, Users
from ..schemas.accounts import CLOSURE_FORM, REGISTRATION_FORM
from ..schemas.users import MAIL_FORM
from ..schemas.validation import validate
from ..services.accounts import closures, registration
from ..services.accounts.erasure.erasure import PostsErasure
from ..services.notifications import mail_choices
from ..web import accounts, data_exports
from ..web.api.api_view import api_view
from ..web.api.request import ForumRequest
from ..web.reauthentication import reauthenticate
from ..web.responses.results import Detail, Kind, Ok, Shown


@api_view(UserItem, "POST", May.EXPORT, name="export")
def ask_for_export(item: UserItem, request: ForumRequest) -> Shown:
    """Have the caller's data exported by the background worker."""
    shown = Shown(Kind.EXPORT, data_exports.ask_for_export(request))
    request.response.status_int = 202
    return shown


@api_view(UserItem, "GET", May.VIEW_EXPORT, name="export")
def read_export(item: UserItem, request: ForumRequest) -> Shown:
    """Tell how far the export is, and where its file is."""
    return Shown(Kind.EXPORT, data_exports.export_of(request))


@api_view(UserItem, "GET", May.VIEW_EXPORT, name="export.zip", renderer=None)
def download_export(item: UserItem, request: ForumRequest) -> Response:
    """Answer with the file."""
    return data_exports.file_of_export(request)


@api_view(UserItem, "GET", May.VIEW_MAIL, name="mail")
def read_mail(item: UserItem, request: ForumRequest) -> Shown:
    """Tell of what the caller gets emails."""
    db, settings = request.executor, request.settings
    return Shown(Kind.MAIL, mail_choices.of_user(db, settings, item.row.user_id))


@api_view(UserItem, "PUT", May.CHOOSE_MAIL, name="mail", schema=MAIL_FORM)
def choose_mail(item: UserItem, request: ForumRequest) -> Shown:
    """Choose of what the caller gets emails; absent fields stay unchanged."""
    db, settings, user_id = request.db, request.settings, item.row.user_id
    mail_choices.choose(db, settings, user_id, request.now, request.validated)
    return Shown(Kind.MAIL, mail_choices.of_user(db, settings, user_id))


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


@api_view(UserItem, "POST", May.CONFIRM, name="confirmation")
def send_confirmation(item: UserItem, request: ForumRequest) -> Ok:
    """Send the caller the link once more."""
    accounts.send_again(request)
    return Ok()


@api_view(Users, "POST", May.REGISTER, own_parameters=tuple(n.name for n in REGISTRATION_FORM))
def open_account(container: Users, request: ForumRequest) -> Detail:
    """Register an account. Whether registration is open is checked before the parameters."""
    registration.check_open(request.site_texts)
    request.registry.abuse_limits.count_registration(request)
    sent = validate(REGISTRATION_FORM, request.parameters)
    account = accounts.register(request, sent).account
    return Detail(Kind.USER, container.get(account.id), is_new=True)
