"""The HTML pages: accounts, OAuth consent, documentation. Only the explorer uses JavaScript."""

from datetime import datetime

from pyramid.config import Configurator

from ..services import registration

_PAGES = (
    "home",
    "login",
    "signup",
    "consent",
    "applications",
    "change_password",
    "reset_password",
)
_DOCS = ("explorer", "guide")


def format_day(moment: datetime) -> str:
    """Return a date as people read it: 3 May 2026."""
    return f"{moment.day} {moment:%B %Y}"


def includeme(config: Configurator) -> None:
    """Register the templates, the static files, the CSRF check and the pages."""
    config.add_settings(
        {
            "jinja2.undefined": "strict",
            "jinja2.trim_blocks": True,
            "jinja2.lstrip_blocks": True,
            "jinja2.filters": {"day": format_day},
            "jinja2.globals": {"is_registration_open": registration.is_open},
        }
    )
    config.include("pyramid_jinja2")
    for name in ("csrf", "page_tween", "static_files", *_PAGES):
        config.include(f".{name}")
    if config.registry.forum_settings["docs.enabled"]:
        for name in _DOCS:
            config.include(f".{name}")
