"""The drafts of the forms of new topics and replies.

A form says with which draft it began (`seen`), and by its key which form it is. It replaces and
deletes the draft that it showed or that it saved itself, never the text of another tab or device.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self, cast

from ..errors import Invalid
from ..permissions import DraftPermission
from ..queries.rows import DraftRow
from ..resources.base import Resource
from ..resources.drafts import DraftItem, caller_id
from ..resources.root import Root
from ..resources.topics import TopicItem
from ..schemas.drafts import draft_form
from ..schemas.validation import validate
from ..security.identity import Identity
from ..security.policy import decide
from ..services.posts import drafts
from ..web.api.locking import lock_item
from ..web.api.parameters import Parameters
from ..web.api.request import ForumRequest
from .form_keys import FIELD, is_form_key
from .kept_text import NEW_TOPIC, KeptText, digest_of, reply_key
from .lines import Moment

SAVE = "save_draft"
"""The button that saves a draft. Its value may be the digest of the other one that it replaces."""
_TEXTS = ("body", "title", "node_id")


@dataclass(frozen=True, slots=True)
class ShownDraft:
    """A draft beside its form. seen: a digest of it; path: of its page; values: of the fields."""

    moment: Moment
    seen: str
    path: str
    values: dict[str, str]

    @classmethod
    def of(cls, request: ForumRequest, row: DraftRow) -> Self:
        """Make it of a row."""
        path = request.route_path("draft", key=row.key)
        values = {name: str(value or "") for name, value in texts_of(row).items()}
        return cls(Moment.of(request, row.updated_at), seen_of(texts_of(row)), path, values)


def texts_of(row: DraftRow) -> dict[str, Any]:
    """Return the texts of a draft and its node, by name."""
    return {name: getattr(row, name) for name in _TEXTS}


def seen_of(texts: Mapping[str, Any]) -> str:
    """Return the digest of a draft that has shown these texts."""
    return digest_of(*(texts[name] for name in _TEXTS))


def has_draft(request: ForumRequest) -> bool:
    """Return whether a form of a new post keeps a draft: one of a held post has that post."""
    return not request.parameters.get("held")


def shown_draft(context: Resource, request: ForumRequest) -> ShownDraft | None:
    """Return the draft with which a form begins, if there is one.

    context: the topic that is replied to; of a new topic, the topics.
    """
    row = _item(context.root, _key(context)).row if has_draft(request) else None
    return None if row is None else ShownDraft.of(request, row)


def beginning_with(draft: ShownDraft | None) -> dict[str, Any]:
    """Return the values of the template of a form that begins with a draft."""
    if draft is None:
        return {}
    return {"draft": draft, "seen": draft.seen}


def keep(
    context: Resource, request: ForumRequest, values: Mapping[str, Any]
) -> tuple[ShownDraft, bool]:
    """Save what a form has as the draft; return what it is now, and whether it is that.

    It is not where another form has saved one. context: as of `shown_draft`.
    """
    item = _item(context.root, _key(context))
    locked = lock_item(item, request, DraftPermission.SAVE, whole_row=True)
    is_kept = _save(locked, request, values, request.parameters)
    return ShownDraft.of(request, locked.reloaded().row), is_kept


def delete_sent(context: Resource, request: ForumRequest, values: Mapping[str, Any]) -> None:
    """Delete the draft that becomes a post. Called last, because it locks the user.

    values: of the form; context: as of `shown_draft`.
    """
    item = _item(context.root, _key(context))
    if item.row is None or not has_draft(request):
        return
    row = item.for_update(whole_row=True).row
    if row is not None and _is_of_form(row, _texts(values), request.parameters):
        drafts.delete(request.db, caller_id(item), row.key)


def keep_after_login(request: ForumRequest, caller: Identity, text: KeptText) -> None:
    """Save what somebody wrote whose log-in had ended, if it is of a new topic or reply."""
    if text.draft_key is None:
        return
    fields = {**text.texts, **text.hidden}
    try:
        sent = Parameters({}, {name: [value] for name, value in fields.items()})
        values = validate(draft_form(request.settings), sent)
    except Invalid:  # the form says what is wrong when it is sent
        return
    item = _item(Root(request, caller, is_write=True), text.draft_key)
    if decide(caller, item, DraftPermission.SAVE):
        _save(item.for_update(whole_row=True), request, values, fields)


def _key(context: Resource) -> str:
    return reply_key(context.row.id) if isinstance(context, TopicItem) else NEW_TOPIC


def _item(root: Root, key: str) -> DraftItem:
    return cast("DraftItem", root["drafts"][key])


def _save(item: DraftItem, request: ForumRequest, values: Mapping[str, Any], fields: Any) -> bool:
    """Save a locked draft; return whether it is. fields: what was sent, by `get`."""
    texts, form = _texts(values), _form_of(fields)
    if item.row is not None and not _is_of_form(item.row, texts, fields):
        return False
    drafts.save(request.db, caller_id(item), request.now, item.__name__, **texts, form=form)
    return True


def _texts(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a draft keeps of the values of a form; that of a reply has only a text."""
    return {
        "body": values["body"],
        "title": values.get("title") or "",
        "node_id": values.get("node_id"),
    }


def _is_of_form(row: DraftRow, texts: Mapping[str, Any], fields: Any) -> bool:
    """Return whether a form showed a draft or saved it itself, or has the same texts."""
    is_own = row.form is not None and row.form == _form_of(fields)
    is_shown = seen_of(texts_of(row)) in (fields.get("seen"), fields.get(SAVE))
    return is_own or is_shown or texts_of(row) == texts


def _form_of(fields: Any) -> str | None:
    value = fields.get(FIELD)
    return digest_of(value) if is_form_key(value) else None
