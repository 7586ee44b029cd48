"""The forms of nodes and sections: a new one, a change, and the question before one is deleted."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import colander
from pyramid.response import Response

from ...errors import Conflict, Invalid, NotFound
from ...permissions import NodePermission
from ...queries import nodes as reading
from ...resources.base import Item, Resource
from ...schemas import nodes as schemas
from ...schemas.fields import parameters
from ...services.posts import nodes, sections
from ...text.messages import Message
from ...web.api.locking import lock_item
from ...web.api.request import ForumRequest
from ..flash_messages import redirect_with_message, with_message
from ..form_keys import form_key, once
from ..forms import WHOLE_FORM, Values, form, process_form
from ..kept_text import digest_of
from ..languages import in_language
from ..page import page, page_form
from ..page_tree import administered_node_page, administered_section_page, administration_page
from ..paths import next_of_form, path_to_go_on, see_other
from .changes import check_seen, is_conflict, seen

_MANAGE = NodePermission.MANAGE
_STARTERS = (Message("General"), Message("Help"), Message("News"))
"""The nodes that an admin of an empty forum can add at once."""
_NODES, _SECTIONS = "/settings/forum/nodes", "/settings/forum/sections"


class _Kind(NamedTuple):
    """What is different for nodes and sections. service: the module with what the forms do."""

    name: str
    service: Any
    schema: colander.SchemaNode
    deletion: colander.SchemaNode


_KINDS = {
    "node": _Kind("node", nodes, schemas.NEW_NODE, schemas.DELETED_NODE),
    "section": _Kind("section", sections, schemas.NEW_SECTION, parameters()),
}


def _kind(request: ForumRequest) -> _Kind:
    return _KINDS[request.matched_route.name.partition("_")[0]]


@page("node_new", f"{_NODES}/new", administration_page, _MANAGE, "node")
@page("section_new", f"{_SECTIONS}/new", administration_page, _MANAGE, "section")
def show_new(context: Resource, request: ForumRequest) -> Values:
    return form(**_values(request))


@page_form(show_new)
def create(context: Resource, request: ForumRequest) -> Response | Values:
    kind = _kind(request)

    @once
    def save(request: ForumRequest, values: Mapping[str, Any], _: None) -> str:
        kind.service.create(request.db, request.actor_id, request.now, **values)
        return path_to_go_on(request) or request.route_path("administration")

    def submit(values: Values) -> Response:
        return with_message(request, f"{kind.name}-saved", see_other(save(request, values, None)))

    return process_form(request, kind.schema, submit, **_values(request))


@page("node_starters", f"{_NODES}/first", administration_page, _MANAGE, method="POST")
def create_starters(context: Resource, request: ForumRequest) -> Response:
    """Add the nodes that most forums begin with, named in the language of the caller."""
    with suppress(Invalid):  # sent twice: one is there
        for place, name in enumerate(_STARTERS):
            text, sort = in_language(request, name), len(_STARTERS) - place
            nodes.create(request.db, request.actor_id, request.now, text, sort=sort)
    path = path_to_go_on(request) or request.route_path("administration")
    return with_message(request, "nodes-saved", see_other(path))


@page("node_edit", rf"{_NODES}/{{node_id:\d+}}", administered_node_page, _MANAGE, "node")
@page(
    "section_edit",
    rf"{_SECTIONS}/{{section_id:\d+}}",
    administered_section_page,
    _MANAGE,
    "section",
)
def show_edit(item: Item, request: ForumRequest) -> Values:
    names = [node.name for node in _kind(request).schema.children]
    values = {name: getattr(item.row, name) for name in names}
    if "section_id" in values:
        values["section_id"] = str(values["section_id"] or "")
    return form(form_values=values, **_values(request, item))


@page_form(show_edit)
def edit(item: Item, request: ForumRequest) -> Response | Values:
    """Change a node or section. An unchecked box is not sent, which means false here."""
    kind = _kind(request)

    def submit(values: Values) -> Response:
        locked = lock_item(item, request, _MANAGE, whole_row=True)
        item.row = locked.row
        check_seen(request, _digest(locked), locked.row, values)
        kind.service.edit(request.db, request.actor_id, request.now, item.row_id, values)
        return redirect_with_message(request, f"{kind.name}-saved", "administration")

    result = process_form(request, kind.schema, submit)
    if isinstance(result, Response):
        return result
    return {**result, **_values(request, item, result["errors"])}


@page("node_delete", rf"{_NODES}/{{id:\d+}}/delete", administration_page, _MANAGE, "delete")
@page("section_delete", rf"{_SECTIONS}/{{id:\d+}}/delete", administration_page, _MANAGE, "delete")
def ask(context: Resource, request: ForumRequest) -> Response | Values:
    """Return the question. Somebody may come back to it when it is answered: see `_gone`."""
    item = _asked(context, request)
    return _gone(request) if item is None else form(**_question(request, item))


@page_form(ask)
def delete(context: Resource, request: ForumRequest) -> Response | Values:
    kind, item = _kind(request), _asked(context, request)
    if item is None:
        return _gone(request)

    def submit(values: Values) -> Response:
        try:
            kind.service.delete(request.db, request.actor_id, request.now, item.row_id, **values)
        except NotFound:
            return _gone(request)
        except Conflict as error:
            raise Invalid(WHOLE_FORM, error.args[0]) from None
        return redirect_with_message(request, f"{kind.name}-deleted", "administration")

    return process_form(request, kind.deletion, submit, **_question(request, item))


def _asked(context: Resource, request: ForumRequest) -> Item | None:
    """Return what is to be deleted; None if it is not there."""
    try:
        item = context.root[f"{_kind(request).name}s"][request.matchdict["id"]]
    except KeyError:
        return None
    assert isinstance(item, Item)  # noqa: S101
    return item


def _gone(request: ForumRequest) -> Response:
    """Lead to the overview whoever presses *Delete* twice, or goes back to it."""
    return redirect_with_message(request, "deleted-already", "administration")


def _question(request: ForumRequest, item: Item) -> Values:
    """Return what the question shows. others: where the topics of a node may go."""
    values = {"kind": _kind(request).name, "row": item.row, "holds_topics": False}
    if values["kind"] == "node":
        values["holds_topics"] = reading.holds_topics(request.db, item.row_id)
        listed = reading.by_section(reading.all_nodes(request.db))
        values["others"] = [node for node in listed if node.id != item.row_id]
    return values


def _digest(item: Item) -> str:
    return digest_of(*(item.edit_version() or ()))


def _values(
    request: ForumRequest, item: Item | None = None, errors: Values | None = None
) -> Values:
    """Return what a form shows beside its fields. item: what it changes, None: it adds one.

    theirs: what another admin has saved since the form was opened, None where nobody did.
    """
    theirs = item.row if item is not None and is_conflict(errors or {}) else None
    return {
        "row": None if item is None else item.row,
        "seen": None if item is None else seen(request, _digest(item), errors or {}),
        "theirs": theirs,
        "sections": reading.all_sections(request.executor),
        "starters": [] if item or reading.all_nodes(request.db) else _STARTERS,
        "form_key": form_key(request),
        "next": next_of_form(request),
    }
