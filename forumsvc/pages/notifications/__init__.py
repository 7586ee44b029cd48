"""The page of one's own notifications."""

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """Register the page and its buttons."""
    config.include(".show")
