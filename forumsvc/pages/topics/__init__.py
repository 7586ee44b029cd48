"""The pages of topics: lists, and a topic with its replies."""

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """Register the pages. Routes are tried in their order: first what is asked for most."""
    for name in ("show", "lists", "reply_places", "write", "actions", "likes"):
        config.include(f".{name}")
