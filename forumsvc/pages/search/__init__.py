"""The search page."""

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """Register the page."""
    config.include(".show")
