"""The pages of users: the profile, and the lists below it."""

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """Register the pages."""
    config.include(".show")
    config.include(".actions")
