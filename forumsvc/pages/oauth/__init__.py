"""The pages of OAuth: consent, and the applications of a user."""

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """Register the pages."""
    for name in ("consent", "applications"):
        config.include(f".{name}")
