"""What an admin sees of the service itself on the overview, and the test of its mail."""

from typing import NamedTuple

from pyramid.response import Response

from ...errors import Forbidden
from ...models import JobState, MailKind
from ...permissions import NodePermission
from ...queries import jobs
from ...resources.nodes import Nodes
from ...services import mails
from ...text.languages import own_name
from ...text.messages import Message
from ...web.api.request import ForumRequest
from ..flash_messages import redirect_with_message
from ..lines import Moment
from ..page import page
from ..page_tree import administration_page
from ..paths import redirect_to_page

_DELIVERY = {
    "none": Message("No email is sent."),
    "folder": Message("Emails are written to a folder."),
    "smtp": Message("Emails are sent."),
}


class Fact(NamedTuple):
    """How the service is set. setting: its name in the ini file."""

    label: Message
    shown: str
    setting: str


_OUTCOMES = {
    "none": Message("It is not sent."),
    "folder": Message("It is written to a folder (mail.dir), and nobody gets it."),
    "smtp": Message("It was sent."),
}


class TestMail(NamedTuple):
    """The last test of the mail. error: why its last attempt failed, "" if none has."""

    asked: Moment
    is_sent: bool
    outcome: Message
    error: str


def facts(request: ForumRequest) -> list[Fact]:
    """Return what an admin wants to know of the settings, which only the operator can change."""
    settings = request.settings
    delivery = settings["mail.delivery"]
    return [
        Fact(Message("Language"), own_name(settings["site.language"]), "site.language"),
        Fact(Message("Emails"), _DELIVERY[delivery], "mail.delivery"),
    ]


def last_test_mail(request: ForumRequest) -> TestMail | None:
    """Return the caller's last test, as long as its job is kept."""
    job = jobs.latest_mail(request.read_connection, request.actor_id, MailKind.TEST)
    if job is None:
        return None
    outcome = _OUTCOMES[request.settings["mail.delivery"]]
    is_sent = job.state == JobState.DONE
    return TestMail(Moment.of(request, job.created_at), is_sent, outcome, job.error or "")


@page(
    "mail_test",
    "/settings/forum/mail-test",
    administration_page,
    NodePermission.MANAGE,
    method="POST",
)
def send_test_mail(context: Nodes, request: ForumRequest) -> Response:
    """Queue an email to the caller. Raises Forbidden where none is sent, RateLimited."""
    user = request.page_context.user
    if not request.sends_mail:
        raise Forbidden("This service sends no email.")
    if user is None or not user.email:
        return redirect_to_page(request, "email")
    request.registry.abuse_limits.count_mail_to(user.email)
    data = {"language": request.locale_name}
    mails.enqueue(
        request.db, MailKind.TEST, user.email, request.now, user_id=request.actor_id, data=data
    )
    return redirect_with_message(request, "test-sent", "administration")
