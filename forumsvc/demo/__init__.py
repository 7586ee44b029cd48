"""A small community, written by hand, to try the service with."""

from .load import ADMIN_LOGIN, DEMO_LOGIN, load
from .posts import LANGUAGES

__all__ = ["ADMIN_LOGIN", "DEMO_LOGIN", "LANGUAGES", "load"]
