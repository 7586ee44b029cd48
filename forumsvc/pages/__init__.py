"""The few pages that a person needs, beside the API: plain HTML, one style sheet, no script."""

from pyramid.config import Configurator

_PAGES = (
    "front",
    "logging_in",
    "signing_up",
    "consent",
    "applications",
    "own_password",
    "forgotten",
)


def includeme(config: Configurator) -> None:
    """Add every page."""
    for name in _PAGES:
        config.include(f".{name}")
