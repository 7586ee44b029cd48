"""The HTML pages: accounts, OAuth consent, documentation. Only the explorer uses JavaScript."""

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
    config.include(".error_pages")
    for name in _PAGES:
        config.include(f".{name}")
    if config.registry.forum_settings["docs.enabled"]:
        for name in _DOCS:
            config.include(f".{name}")
