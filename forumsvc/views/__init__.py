"""The endpoints, a module for each resource. A view declares its path, permission and result."""

from pyramid.config import Configurator

NOUNS = (
    "root",
    "description",
    "users",
    "confirmation",
    "restrictions",
    "profile",
    "registration",
    "nodes",
    "topics",
    "topic_actions",
    "replies",
    "photos",
    "likes",
    "notifications",
    "webhooks",
    "events",
    "search",
    "audit_log",
    "reports",
    "reviews",
    "held_posts",
    "access_blocks",
)


def includeme(config: Configurator) -> None:
    """Register every view."""
    config.include(".errors")
    config.include(".health")
    config.include(".oauth")
    config.include(".photos")
    if config.registry.forum_settings["metrics.enabled"]:
        config.include(".metrics")
    for noun in NOUNS:
        config.scan(f".{noun}")
