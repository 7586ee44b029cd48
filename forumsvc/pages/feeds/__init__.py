"""Feeds of the newest topics: of the forum, of a node, of a user."""

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """Register the feeds."""
    config.include(".topics")
