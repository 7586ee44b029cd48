"""Rendering of Jinja2 templates, with every value escaped."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from pyramid.response import Response

from ..services import registration
from ..web.api.request import ForumRequest
from .assets import load_asset

if TYPE_CHECKING:
    from .page_context import PageContext

_environment = Environment(
    loader=PackageLoader(__package__),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def _format_day(moment: datetime) -> str:
    return f"{moment.day} {moment:%B %Y}"


_environment.filters["day"] = _format_day


def render_template(
    request: ForumRequest, context: "PageContext | None", name: str, values: dict[str, Any]
) -> str:
    """Return the rendered template.

    context: None for an error outside the pages; then the page shows nothing about an account.
    """
    settings = request.settings
    return _environment.get_template(name).render(
        site_name=settings["site.name"],
        registration_open=registration.is_open(settings),
        mail_enabled=request.registry.mail_queue.is_enabled,
        user=context.user if context is not None else None,
        page_context=context,
        path=request.route_path,
        style_version=load_asset("style.css").version,
        docs_enabled=settings["docs.enabled"],
        **values,
    )


def render_page(context: "PageContext", name: str, **values: Any) -> Response:
    """Return a rendered page. `errors` (field -> message) is empty by default."""
    values.setdefault("errors", {})
    return Response(
        render_template(context.request, context, name, values),
        content_type="text/html",
        charset="utf-8",
    )
