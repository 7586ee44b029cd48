"""The form of a post when it is sent: saved, kept as a draft, or shown again."""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import colander
from pyramid.response import Response

from ...errors import Invalid
from ...resources.base import Resource
from ...resources.replies import ReplyItem
from ...resources.topics import TopicItem
from ...schemas.drafts import draft_form
from ...schemas.validation import validate
from ...services.posts.authoring import RenderedPost
from ...text.messages import Clause, Message
from ...web import uploads
from ...web.api.parameters import Parameters
from ...web.api.prework import render_text
from ...web.api.request import ForumRequest
from .. import drafts
from ..flash_messages import with_message
from ..form_keys import mark_saved
from ..forms import WHOLE_FORM, Values, form, process_form
from ..kept_text import digest_of
from ..page_context import is_script
from ..paths import see_other, topic_path
from ..pictures import PICTURE, picture_address, stored_picture
from ..post_html import post_html

Save = Callable[[ForumRequest, Mapping[str, Any], RenderedPost], str]
"""Saves validated values and their rendered text, and returns the path to go to."""
_EDITED = Message("Somebody has changed this since you began. Below is what it is now, and yours.")
_OTHER_DRAFT = Message(
    "You have saved another draft since you opened this form. Below is that one, and this text,"
    " which replaces it if you save it as a draft."
)
_NO_NODE = Clause("choose a node")
_ALT = re.compile(r"[\[\]\\\s]+")
"""What cannot stand in the alternative text of a picture in Markdown."""


def submit_post(
    context: Resource,
    request: ForumRequest,
    schema: Callable[[Any], colander.SchemaNode],
    save: Save,
    **others: Any,
) -> Response | Values:
    """Save the form, keep it as a draft, or show it again with a preview or its errors."""
    is_draft = others["keeps_draft"] and request.parameters.get(drafts.SAVE) is not None
    is_preview = request.parameters.get("preview") is not None
    # Of a text that is being written, whatever the rest of the form is.
    is_unfinished = is_draft or (is_preview and is_script(request))

    def submit(values: dict[str, Any]) -> Response | Values:
        with stored_picture(request, context.root, PICTURE) as picture:
            if picture is not None:
                address = picture_address(request, picture)
                alt = _ALT.sub(" ", str(request.parameters.get("picture_text") or ""))[:200].strip()
                values["body"] = f"{values['body']}\n\n![{alt}]({address})\n"
            rendered = None if is_draft else render_text(request, values)
            if rendered is None or is_preview:
                # First, because a draft locks the user, who need not wait for the storage.
                if picture is not None:
                    uploads.record(request, picture, PICTURE)
                if rendered is None:
                    return _keep(context, request, values)
                return _preview(context, request, values, rendered, others)
            saved = see_other(save(request, values, rendered))
            # Last, because it locks the user: the services lock topics first.
            if picture is not None:
                uploads.record(request, picture, PICTURE)
            return mark_saved(request, saved)

    try:
        schema = draft_form if is_unfinished else schema
        result = process_form(request, schema(request.settings), submit, **others)
        has_node = bool(request.parameters.get("node_id"))
        if not isinstance(result, Response) and "node_id" in result["errors"] and not has_node:
            result["errors"]["node_id"] = _NO_NODE
        return result
    except _SavedMeanwhile as conflict:
        request.response.status_int = 409
        names = ("title", "node_id", "body")
        parameters = {name: str(request.parameters.get(name) or "") for name in names}
        return form(form_values=parameters, **{**others, **conflict.shown})


def _keep(context: Resource, request: ForumRequest, values: Values) -> Response:
    """Save the draft, and lead to the form that begins with it. Raises _SavedMeanwhile.

    A script that saves it while somebody writes is led nowhere.
    """
    draft, is_kept = drafts.keep(context, request, values)
    if not is_kept:
        raise _SavedMeanwhile(_beside(draft))
    if is_script(request):
        return Response(status=204)
    return with_message(request, "draft-saved", see_other(request.path))


def _preview(
    context: Resource,
    request: ForumRequest,
    values: Values,
    rendered: RenderedPost,
    others: Values,
) -> Values:
    """Return the form with its text as it will look, which is kept as a draft.

    A script that shows it while somebody writes saves the draft itself.
    """
    linked = request.authoring.link_mentions(request.executor, rendered.text)
    html = post_html(linked, _topic_path(context, request))
    shown = {name: str(value) for name, value in values.items()}
    is_kept = others["keeps_draft"] and not is_script(request)
    kept = _kept(context, request, values) if is_kept else {}
    return form(form_values=shown, **{**others, "preview": html, **kept})


def show_quoted(context: Resource, request: ForumRequest, body: str, others: Values) -> Values:
    """Return the form with a text to which a quotation was added, which is kept as a draft."""
    kept: Values = {}
    # A text that is too long is refused when it is sent.
    with suppress(Invalid):
        sent = Parameters({}, {"body": [body]})
        values = validate(draft_form(request.settings), sent)
        kept = _kept(context, request, values) if others["keeps_draft"] else {}
    return form(form_values={"body": body}, **{**others, **kept})


def _kept(context: Resource, request: ForumRequest, values: Values) -> Values:
    """Keep a draft; return the values of the form: that draft, or that of another device."""
    draft, is_kept = drafts.keep(context, request, values)
    return drafts.beginning_with(draft) if is_kept else _beside(draft)


def _beside(draft: drafts.ShownDraft) -> Values:
    """Return the values that show the draft of another tab or device beside the form."""
    error = {WHOLE_FORM: _OTHER_DRAFT}
    return {"errors": error, "theirs": draft.values, "replaces": draft.seen}


class _SavedMeanwhile(Exception):
    """Somebody saved the post after the form was shown, or another form the draft.

    shown: values of the template: that, and what is there by now.
    """

    def __init__(self, shown: Values) -> None:
        super().__init__()
        self.shown = shown


def check_seen(request: ForumRequest, new: dict[str, Any], now: dict[str, Any]) -> None:
    """Raise _SavedMeanwhile unless the form showed what is there now, or it is what is wanted.

    new: what the form would save: a form that is sent twice finds its own text.
    """
    digest = digest_of(*now.values())
    if request.parameters.get("seen") != digest and new != now:
        error = {WHOLE_FORM: _EDITED}
        raise _SavedMeanwhile({"errors": error, "theirs": now, "seen": digest})


def _topic_path(context: Resource, request: ForumRequest) -> str:
    """Return the path of the topic that is written to; a new one has none."""
    if isinstance(context, ReplyItem):
        return topic_path(request, context.row.topic_id)
    return topic_path(request, context.row.id) if isinstance(context, TopicItem) else ""
