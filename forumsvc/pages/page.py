"""Declaring a page, at the function that shows it: no other place lists the pages."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import venusian
from pyramid.config import Configurator

from ..web.api.request import ForumRequest
from .page_tree import Factory

View = Callable[[Any, ForumRequest], Any]
_View = TypeVar("_View", bound=View)


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it is declared, and the view that answers one of its methods; see `page`."""

    name: str
    path: str
    factory: Factory
    permission: str
    template: str | None
    view: View
    method: str = "GET"
    needs: str | None = "pages.forum"
    tried_first: bool = False
    options: dict[str, Any] = field(default_factory=dict)


def page(
    name: str,
    path: str,
    factory: Factory,
    permission: str,
    template: str | None = None,
    *,
    method: str = "GET",
    needs: str | None = "pages.forum",
    tried_first: bool = False,
    **options: Any,
) -> Callable[[_View], _View]:
    """Declare a page, or with the method POST a button; the decorated view may have several.

    name: of the route; permission: granted by the ACL of what the factory makes; template: a file
    in the folder `templates` of the view's package or of this one, None where the view makes its
    response; needs: the setting without which there is no such page, None for one that is always
    there; tried_first: as most requests are for it; options: further ones of the view, such as
    `schema` and `cache_policy`.
    """

    def declare(view: _View) -> _View:
        declared = Page(
            name, path, factory, permission, template, view, method, needs, tried_first, options
        )
        add_to_scan(view, [declared])
        return view

    return declare


def page_form(show: View, *, permission: str | None = None) -> Callable[[_View], _View]:
    """Declare the view of a form, which is sent to the path of its page.

    show: the view of the page; permission: that of the page by default.
    """

    def declare(view: _View) -> _View:
        form = show, view, permission
        venusian.attach(view, lambda scan, *_: scan.forms.append(form), category="pyramid")
        return view

    return declare


def add_to_scan(function: Callable[..., Any], pages: Iterable[Page]) -> None:
    """Let `add_pages` find these pages at a function, which the caller decorates."""
    # The frame in which the function is decorated is two calls away.
    attach = {"category": "pyramid", "depth": 2}
    venusian.attach(function, lambda scan, *_: scan.pages.extend(pages), **attach)


def add_pages(config: Configurator, **options: Any) -> None:
    """Find the declared pages, and add those that the settings want. options: of the scan."""
    pages: list[Page] = []
    forms: list[tuple[View, View, str | None]] = []
    config.scan(__package__, pages=pages, forms=forms, **options)
    settings = config.registry.forum_settings
    pages = [entry for entry in pages if entry.needs is None or settings[entry.needs]]
    for route in sorted({entry.name: entry for entry in pages}.values(), key=_order):
        config.add_route(route.name, route.path, factory=route.factory)
    for item in pages:
        _add_view(config, item, item.view, item.method, item.permission, **item.options)
        for show, submit, permission in forms:
            if show is item.view:
                _add_view(config, item, submit, "POST", permission or item.permission)


def _add_view(
    config: Configurator, page: Page, view: View, method: str, permission: str, **options: Any
) -> None:
    config.with_package(view.__module__).add_view(
        view,
        route_name=page.name,
        request_method=method,
        permission=permission,
        renderer=page.template and f"templates/{page.template}.jinja2",
        **options,
    )


def _order(page: Page) -> tuple[bool, str]:
    """Return what sorts the routes as they are tried.

    By their paths: a brace sorts behind all letters, so a word is tried before a value in its
    place, and the page of a user, whose path is any word, behind those of all other words.
    """
    return not page.tried_first, page.path
