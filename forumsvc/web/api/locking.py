"""The item of a change, locked: `locked=` of a view.

Traversal loads every item as it is committed, and waits for nobody. Whoever may not change it is
refused on that ground; for who may, it is loaded again under a lock and judged again, because it
may have been closed or deleted meanwhile.
"""

from typing import Any

from pyramid.config import Configurator
from pyramid.httpexceptions import HTTPForbidden

from ...errors import NotFound
from ...resources.base import Item
from ...security.policy import decide
from .request import ForumRequest


def locked_deriver(view: Any, info: Any) -> Any:
    """Call a view that has `locked=` with its item as the lock found it."""
    what = info.options.get("locked")
    if what is None:
        return view
    whole_row = what == "row"
    permission = info.options["permission"]

    def locked(context: Item, request: ForumRequest) -> Any:
        try:
            item = context.for_update(whole_row=whole_row)
        except KeyError:
            raise NotFound("There is nothing here.") from None
        verdict = decide(request.caller, item, permission)
        if not verdict:
            raise HTTPForbidden(result=verdict)
        request.context = item
        return view(item, request)

    return locked


locked_deriver.options = ("locked",)  # type: ignore[attr-defined]  # Pyramid's protocol


def includeme(config: Configurator) -> None:
    """Register the deriver: behind all that is done without a lock."""
    config.add_view_deriver(locked_deriver, name="locked", under="idempotent")
