"""A baseline: an empty Pyramid view, the least that a Pyramid application does for a request."""

from typing import Any

from pyramid.config import Configurator


def make_app(global_conf: dict[str, str], **settings: str) -> Any:
    """Create the application (a `paste.app_factory`): one JSON view at `/`."""
    config = Configurator(settings=settings)
    config.add_route("empty", "/")
    config.add_view(lambda request: {"ok": 1}, route_name="empty", renderer="json")
    return config.make_wsgi_app()
