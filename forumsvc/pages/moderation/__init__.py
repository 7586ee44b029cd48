"""The pages of moderators, and those on which members report something."""

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """Register the pages."""
    for name in ("queue", "review", "log", "member", "report", "held_post"):
        config.include(f".{name}")
