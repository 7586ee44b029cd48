"""/moderation/reviews/:id: one review, with all that a moderator needs, and the decision."""

from collections.abc import Sequence
from typing import Any

from pyramid.response import Response

from ...errors import PreconditionFailed
from ...models import Decision, Reply, ReviewKind, ReviewState, Topic
from ...permissions import ReviewPermission
from ...presenters.held_posts import hold_reason
from ...queries import nodes, reviews
from ...queries.post_versions import Post
from ...queries.reviews import ReviewRow
from ...resources.reviews import ReviewItem
from ...schemas.reviews import RESOLVE_FORM
from ...text.messages import Message
from ...text.text_rules import with_lf
from ...web.api.locking import lock_item
from ...web.api.request import ForumRequest
from ...web.reviews import render_held, resolve, with_details
from ..flash_messages import flash_message, redirect_with_message, with_message
from ..forms import WHOLE_FORM, Values, form, process_form
from ..lines import Moment
from ..page import page, page_form
from ..page_tree import review_page
from ..paths import post_path, see_other, topic_path, user_path
from ..post_html import post_html
from ..topics.versions import versions_path
from ..word_diff import Budget, Part, difference
from .held_text import held_html

_FIELDS = [child.name for child in RESOLVE_FORM]


@page(
    "review", r"/moderation/reviews/{review_id:\d+}", review_page, ReviewPermission.VIEW, "review"
)
def show_review(item: ReviewItem, request: ForumRequest) -> Values:
    """Return the values of the page."""
    return form(form_values={"version": str(item.row.version)}, **_others(item, request))


@page_form(show_review, permission=ReviewPermission.RESOLVE)
def submit_review(item: ReviewItem, request: ForumRequest) -> Response | Values:
    """Decide, or show what is wrong."""

    def decide(values: Values) -> Response:
        publication = render_held(item, request, values)
        locked = lock_item(item, request, ReviewPermission.RESOLVE, whole_row=True)
        resolve(locked, request, values, publication)
        return _redirect_to_next(request, locked.row.id)

    try:
        done = process_form(request, RESOLVE_FORM, decide)
        # Not before: it reads in the transaction, which on SQLite takes the lock, and a text may be
        # rendered.
        return done if isinstance(done, Response) else {**done, **_others(item, request)}
    except PreconditionFailed as error:
        request.response.status_int = 412
        reloaded = item.reloaded()
        message = error.args[0]
        if reloaded.row.state != ReviewState.OPEN:
            message = Message("Another moderator has decided: see below.")
        parameters = {name: str(request.parameters.get(name) or "") for name in _FIELDS}
        parameters["version"] = str(reloaded.row.version)
        return form(
            form_values=parameters, errors={WHOLE_FORM: message}, **_others(reloaded, request)
        )


def _redirect_to_next(request: ForumRequest, review_id: int) -> Response:
    """Return a redirect to the next open review, or to the queue."""
    following = reviews.next_open(request.db, review_id) or reviews.next_open(request.db, 0)
    if following is None:
        return redirect_with_message(request, "decided", "moderation")
    path = request.route_path("review", review_id=following)
    return with_message(request, "decided-next", see_other(path))


def _others(item: ReviewItem, request: ForumRequest) -> Values:
    row, details = item.row, with_details(item, request).details
    reported: Any = details.object
    html = path = source = versions = None
    current = ""
    node_name, hold = "", ""
    if row.kind == ReviewKind.HELD:
        source, hold = reported.row.body, hold_reason(reported.row.reason)
        html = held_html(request, source)
        node_name = _node_name(request, reported.row.node_id)
        if reported.row.topic_id is not None:
            path = topic_path(request, reported.row.topic_id)
    elif reported is not None:
        html = post_html(reported.row.body_html, topic_path(request, row.topic_id or 0))
        title_above = "" if row.reply_id is not None else f"{reported.row.title}\n\n"
        current = f"{title_above}{reported.row.body}"
        path = post_path(request, row.topic_id, row.reply_id)
        if reported.row.edited_at is not None:
            is_topic = row.reply_id is None
            versions = versions_path(request, Post(Topic if is_topic else Reply, reported.row.id))
    budget = Budget()
    return {
        "flash_message": flash_message(request),
        "review": row,
        "opened": Moment.of(request, row.opened_at),
        "versions_path": versions,
        "reports": [
            (
                report,
                Moment.of(request, report.created_at),
                _changes_since(report, current, budget),
            )
            for report in details.reports
        ],
        "author": details.author,
        "restrictions_count": details.restrictions_count,
        "member_path": request.route_path("moderated_user", login=row.author_login),
        "author_path": user_path(request, row.author_login),
        "html": html,
        "source": source,
        "path": path,
        "undo": _undo_path(request, row, reported),
        "title": row.title,
        "node_name": node_name,
        "hold_reason": hold,
        "decisions": _decisions(row),
    }


def _changes_since(report: Any, current: str, budget: Budget) -> Sequence[Part]:
    """Return what has changed of a text since it was reported; nothing where nothing has."""
    if not report.text or report.text == current:
        return ()
    return difference(with_lf(report.text), with_lf(current), budget)


def _undo_path(request: ForumRequest, row: ReviewRow, reported: Any) -> str | None:
    """Return the path that shows again what this decision hid; None where it is not hidden."""
    if row.kind == ReviewKind.HELD or row.decision not in (Decision.HIDE, Decision.DELETE):
        return None
    if reported is None:
        return None
    if reported.row.deleted_at is not None:
        return f"{post_path(request, row.topic_id, row.reply_id)}/restore"
    is_hidden = row.reply_id is None and reported.row.banned_at is not None
    return f"{post_path(request, row.topic_id, None)}/unban" if is_hidden else None


def _node_name(request: ForumRequest, node_id: int | None) -> str:
    """Return the name of a node, empty without one or where it is deleted meanwhile."""
    names = {node.id: node.name for node in nodes.all_nodes(request.executor)}
    return names.get(node_id, "") if node_id is not None else ""


def _decisions(row: ReviewRow) -> list[Decision]:
    """Return what can be decided."""
    if row.kind != ReviewKind.REPORTED:
        return [Decision.APPROVE, Decision.DELETE]
    # APPROVE would be the same as DISMISS, and HIDE for a reply the same as DELETE.
    if row.reply_id is not None:
        return [Decision.DISMISS, Decision.DELETE]
    of_topics = [Decision.HIDE, Decision.DELETE] if row.topic_id else []
    return [Decision.DISMISS, *of_topics]
