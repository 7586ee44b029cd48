"""The few pages that a person needs, beside the API: plain HTML; the explorer alone has script."""

from pyramid.config import Configurator

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


def includeme(config: Configurator) -> None:
    """Add every page."""
    config.include(".error_pages")
    for name in _PAGES:
        config.include(f".{name}")
    if config.registry.forum_settings["docs.enabled"]:
        for name in _DOCS:
            config.include(f".{name}")
