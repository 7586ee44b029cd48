"""The pages of an account: logging in, signing up, the password."""

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """Register the pages."""
    for name in ("login", "signup", "change_password", "reset_password", "email"):
        config.include(f".{name}")
