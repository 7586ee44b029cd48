"""Locking the item that a view changes: `locked=` of a view.

Traversal loads every item as it is committed, without waiting for a lock, and the policy decides on
that. If it grants the permission, the item is loaded again under a lock and the policy decides
again, because the item may have been closed or deleted in the meantime.
"""

from typing import Any, TypeVar

from pyramid.httpexceptions import HTTPForbidden

from ...errors import NotFound
from ...resources.base import Item
from ...security.policy import decide
from .request import ForumRequest

T = TypeVar("T", bound=Item)


def locked_deriver(view: Any, info: Any) -> Any:
    """Call a view that has `locked=` with its item locked and reloaded."""
    lock_mode = info.options.get("locked")
    if lock_mode is None:
        return view
    whole_row = lock_mode == "row"
    permission = info.options["permission"]

    def locked(context: Item, request: ForumRequest) -> Any:
        return view(lock_item(context, request, permission, whole_row=whole_row), request)

    return locked


def lock_item(context: T, request: ForumRequest, permission: str, *, whole_row: bool) -> T:
    """Return an item loaded again and locked, on which the policy grants the permission.

    whole_row: load all columns, not only those that the ACL reads. Raises NotFound, HTTPForbidden.
    """
    try:
        item = context.for_update(whole_row=whole_row)
    except KeyError:
        raise NotFound("There is nothing here.") from None
    verdict = decide(request.caller, item, permission)
    if not verdict:
        raise HTTPForbidden(result=verdict)
    request.context = item
    return item


locked_deriver.options = ("locked",)  # type: ignore[attr-defined]  # Pyramid's protocol
