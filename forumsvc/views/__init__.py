"""The endpoints, a module for each resource. A view declares its path, permission and result."""

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """Register every view."""
    config.include(".errors")
    config.include(".health")
    config.include(".oauth")
    config.include(".photos")
    if config.registry.forum_settings["metrics.enabled"]:
        config.include(".metrics")
    config.scan(__name__, ignore=".metrics")
