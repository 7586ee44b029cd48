"""How pages are registered: a route, and the views of GET and POST."""

from collections.abc import Callable
from typing import Any

from pyramid.config import Configurator

from ..web.api.request import ForumRequest

View = Callable[[Any, ForumRequest], Any]


def add_page(
    config: Configurator,
    name: str,
    path: str,
    factory: Callable[[ForumRequest], Any],
    permission: str,
    show: View | None = None,
    submit: View | None = None,
    *,
    template: str | None = None,
    submit_permission: str | None = None,
    **options: Any,
) -> None:
    """Add a page, a form that is submitted to its own URL, or a button, which has only `submit`.

    name: of the route; show, submit: the views of GET and POST; template: a file of the folder
    `templates` of this package, None where the views make their responses; submit_permission: that
    of POST, if it is another one; options: further ones of the views.
    """
    config.add_route(name, path, factory=factory)
    renderer = template and f"templates/{template}.jinja2"
    views = (show, "GET", permission), (submit, "POST", submit_permission or permission)
    for view, method, may in views:
        if view is not None:
            config.add_view(
                view,
                route_name=name,
                request_method=method,
                renderer=renderer,
                permission=may,
                **options,
            )
