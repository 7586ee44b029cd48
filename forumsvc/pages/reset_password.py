"""A forgotten password: a link by mail, and what it leads to."""

from typing import Any

from pyramid.config import Configurator
from pyramid.response import Response

from ..errors import Forbidden
from ..permissions import Common
from ..schemas.accounts import forgot_password_form, reset_password_form
from ..services import accounts, password_reset, registration
from ..web.api.request import ForumRequest
from .forms import submitted
from .page_context import Visit, anybodys
from .paths import to_page, with_query
from .templating import page, render

_STALE = "This link is used up, has expired, or is incomplete. Ask for another one."


def show(visit: Visit, request: ForumRequest) -> Response:
    """Show the form that asks for a link."""
    _check_mail(request)
    return page(visit, "forgotten.html", sent={})


def submit(visit: Visit, request: ForumRequest) -> Response:
    """Send a link to the address, if it is anybody's; the answer does not tell."""
    _check_mail(request)

    def mail(sent: dict[str, Any]) -> Response:
        request.registry.abuse_limits.count_mail_request(request)
        account = password_reset.find(request.read_connection, sent["email"])
        if account is not None and request.registry.abuse_limits.allow_mail_to(account.id):
            _send(visit, account)
        return page(visit, "sent.html", email=sent["email"])

    return submitted(visit, forgot_password_form(), mail, "forgotten.html")


def show_reset(visit: Visit, request: ForumRequest) -> Response:
    """Show the form that a link leads to."""
    account = _holder(request, request.read_connection)
    ticket = request.parameters.get("ticket")
    return page(visit, "reset.html", ticket=ticket, login=account.login)


def submit_reset(visit: Visit, request: ForumRequest) -> Response:
    """Set the password, which logs its user out everywhere."""
    account = _holder(request, request.read_connection)

    def change(sent: dict[str, Any]) -> Response:
        new = accounts.check_password(sent["new_password"], field="new_password")
        registration.check_strength("new_password", new, (account.login, account.email))
        # Once more and locked: of two uses at once one comes too late.
        _holder(request, request.db, lock=True)
        accounts.set_password(request.db, account.login, new)
        visit.log_out()
        return to_page(request, "login", notice="password-changed")

    ticket = request.parameters.get("ticket")
    return submitted(
        visit, reset_password_form(), change, "reset.html", ticket=ticket, login=account.login
    )


def _send(visit: Visit, account: password_reset.Forgetful) -> None:
    request = visit.request
    ticket = password_reset.ticket(request.settings["session.secret"], account, request.now)
    link = with_query(request.site.base_url + request.route_path("reset"), ticket=ticket)
    text = render(visit.request, visit, "reset.txt", {"login": account.login, "link": link})
    name = request.settings["site.name"]
    request.registry.mail_queue.send(account.email, f"{name}: set a new password", text)


def _holder(request: ForumRequest, db: Any, *, lock: bool = False) -> password_reset.Forgetful:
    ticket = request.parameters.get("ticket")
    secret = request.settings["session.secret"]
    holder = None
    if isinstance(ticket, str):
        holder = password_reset.holder(db, secret, ticket, request.now, lock=lock)
    if holder is None:
        raise Forbidden(_STALE)
    return holder


def _check_mail(request: ForumRequest) -> None:
    if not request.registry.mail_queue.delivers:
        raise Forbidden("No mail leaves from here; ask an administrator for a new password.")


def includeme(config: Configurator) -> None:
    """Add the addresses."""
    for route, path, shown, submitted_view in (
        ("forgotten", "/password/forgotten", show, submit),
        ("reset", "/password/reset", show_reset, submit_reset),
    ):
        config.add_route(route, path, factory=anybodys)
        for view, method in ((shown, "GET"), (submitted_view, "POST")):
            config.add_view(view, route_name=route, request_method=method, permission=Common.VIEW)
