"""The documentation for developers: the guide and the explorer."""

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """Register the pages."""
    for name in ("explorer", "guide"):
        config.include(f".{name}")
