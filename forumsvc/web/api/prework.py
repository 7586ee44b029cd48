"""The slow part of a request, done before a lock is taken: `prework=` of a view.

Rendering a hostile text may take a second, and making a thumbnail longer. The step runs after the
resource, the method, the permission and the parameters are checked, so a refused request causes no
such work. The item is not locked yet, and is authorized again after it is locked (`locking`).
"""

from collections.abc import Callable, Mapping
from typing import Any

from ...services.posts.authoring import RenderedPost
from .request import ForumRequest

Prework = Callable[[Any, ForumRequest], Any]


def prework_deriver(view: Any, info: Any) -> Any:
    """Run the slow part of a view before it, and put the result into `request.prework`."""
    work: Prework | None = info.options.get("prework")
    if work is None:
        return view

    def prepared(context: Any, request: ForumRequest) -> Any:
        request.prework = work(context, request)
        return view(context, request)

    return prepared


prework_deriver.options = ("prework",)  # type: ignore[attr-defined]  # Pyramid's protocol


def render_body(context: Any, request: ForumRequest) -> RenderedPost:
    """Render the text of a post, which is the parameter `body`.

    Raises Invalid, RateLimited, Unavailable.
    """
    return render_text(request, request.validated)


def render_text(request: ForumRequest, values: Mapping[str, Any]) -> RenderedPost:
    """Render the `body` of validated parameters, of which `title` is checked, too.

    Raises Invalid, RateLimited, Unavailable.
    """
    return request.authoring.render(
        request.actor_id,
        values["body"],
        title=values.get("title"),
        origin=f"request {request.environ['forumsvc.request_id']}",
    )
