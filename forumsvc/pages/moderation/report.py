"""The forms on which members report a topic, a reply or a user."""

from functools import partial
from typing import Any

from pyramid.response import Response

from ...errors import NotFound
from ...markup.text_content import text_content
from ...models import ReportCategory
from ...permissions import ReportPermission
from ...queries import reports
from ...resources.reports import Reports
from ...schemas.fields import Choice, Lines, optional, parameters, required
from ...schemas.reports import MAX_COMMENT, Reportable
from ...services.moderation.reports import Target
from ...text.ids import parse_id
from ...text.messages import Message
from ...web.api.request import ForumRequest
from ...web.reports import report, report_target
from ..flash_messages import flash_message, with_message
from ..forms import Values, form, process_form
from ..page import page, page_form
from ..page_tree import reports_page
from ..paths import see_other, topic_path, user_path
from ..previews import beginning

_KINDS = {
    "report_topic": Reportable.TOPIC,
    "report_reply": Reportable.REPLY,
    "report_user": Reportable.USER,
}
"""What is reported, by the page."""
_report_page = partial(
    page, factory=reports_page, permission=ReportPermission.CREATE, template="report"
)

_REPORTED = Message("You have reported this. The moderators will look at it, and tell you.")


@_report_page("report_topic", r"/topics/{obj_id:\d+}/report")
@_report_page("report_reply", r"/replies/{obj_id:\d+}/report")
@_report_page("report_user", "/users/{obj_id}/report")
def show_report(container: Reports, request: ForumRequest) -> Values:
    """Return the values of the form. Raises NotFound, Forbidden."""
    others = _others(container, request)
    # Whoever has just reported may not see it anymore: the last report can hide it.
    if others["flash_message"] is None:
        target = _target(container, request)
        others["post"] = _post(container, request, target)
        if reports.is_open(request.db, request.actor_id, target.key):
            others["flash_message"] = _REPORTED
    return form(**others)


@page_form(show_report)
def submit_report(container: Reports, request: ForumRequest) -> Response | Values:
    """Store the report, or show what is wrong."""
    target = _target(container, request)

    def store(values: Values) -> Response:
        report(request, target, values)
        return with_message(request, "reported", see_other(request.path))

    schema = parameters(
        required("category", Choice(ReportCategory)),
        optional("comment", Lines(0, MAX_COMMENT), ""),
    )
    others = {**_others(container, request), "post": _post(container, request, target)}
    return process_form(request, schema, store, **others)


def _target(container: Reports, request: ForumRequest) -> Target:
    kind = _KINDS[request.matched_route.name]
    try:
        return report_target(container.root, request, kind, request.matchdict["obj_id"])
    except NotFound:
        # The message of the API names its parameter.
        raise NotFound("There is nothing here.") from None


def _post(container: Reports, request: ForumRequest, target: Target) -> Values | None:
    """Return the title, author and beginning of what is reported; None where that is a person."""
    root = container.root
    if target.reply_id is not None:
        reply = root.replies.load(request.executor, target.reply_id)
        post, title = reply, reply and reply.topic_title
    elif target.topic_id is not None:
        topic = root.topics.load(request.executor, target.topic_id)
        post, title = topic, topic and topic.title
    else:
        return None
    return post and {
        "title": title,
        "login": post.user_login,
        "excerpt": beginning(text_content(post.body_html)),
    }


def _others(container: Reports, request: ForumRequest) -> dict[str, Any]:
    kind, obj_id = _KINDS[request.matched_route.name], request.matchdict["obj_id"]
    if kind == Reportable.USER:
        try:
            user: Any = container.root["users"][obj_id]
            back = user_path(request, user.row.user_login)
        except KeyError:
            raise NotFound("There is nothing here.") from None
    elif kind == Reportable.TOPIC:
        topic_id = parse_id(obj_id)
        if topic_id is None:
            raise NotFound("There is nothing here.")
        back = topic_path(request, topic_id)
    else:
        back = request.route_path("reply", reply_id=obj_id)
    return {
        "kind": str(kind),
        "categories": list(ReportCategory),
        "back": back,
        "flash_message": flash_message(request),
    }
