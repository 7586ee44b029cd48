"""The slow part of a request, done while no lock is held: `prework=` of a view.

Rendering a hostile text may take a second, and shrinking a large picture longer. The step runs once
the resource, the method, the permission and the parameters are found good, so a request that any of
them refuses costs no such work. Nothing is locked yet: what the item is by then is judged again
(`locking`).
"""

from collections.abc import Callable
from typing import Any

from pyramid.config import Configurator

from ...services.content.authoring import Rendered
from .request import ForumRequest

Prework = Callable[[Any, ForumRequest], Any]


def prework_deriver(view: Any, info: Any) -> Any:
    """Do the slow work of a view before it; the view finds the result in `request.prework`."""
    work: Prework | None = info.options.get("prework")
    if work is None:
        return view

    def prepared(context: Any, request: ForumRequest) -> Any:
        request.prework = work(context, request)
        return view(context, request)

    return prepared


prework_deriver.options = ("prework",)  # type: ignore[attr-defined]  # Pyramid's protocol


def render_body(context: Any, request: ForumRequest) -> Rendered:
    """Render the text of a post, which is the parameter `body`.

    Raises Invalid, RateLimited, Unavailable.
    """
    sent = request.validated
    return request.authoring.render(
        request.db,
        request.actor_id,
        sent["body"],
        title=sent.get("title"),
        origin=f"request {request.environ['forumsvc.request_id']}",
    )


def includeme(config: Configurator) -> None:
    """Register the deriver: behind the parameters' and the answers that are known already."""
    config.add_view_deriver(prework_deriver, name="prework", under="replayed")
