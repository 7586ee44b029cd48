"""The endpoints, a file a noun: each view says where it is, who may, and what it answers with."""

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """Register every view."""
    config.include(".errors")
    config.include(".health")
    config.include(".oauth")
    config.include(".photos")
    for noun in ("root", "users", "nodes", "topics", "topic_actions", "replies", "photos", "likes"):
        config.scan(f".{noun}")
    config.scan(".notifications")
