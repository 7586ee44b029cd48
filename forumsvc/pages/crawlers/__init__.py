"""For search engines: robots.txt and the sitemap."""

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """Register the files."""
    config.include(".robots")
    config.include(".sitemap")
