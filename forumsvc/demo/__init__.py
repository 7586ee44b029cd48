"""A believable community, made up: for trying the service out, and for benchmarks."""

from .load import Loaded, load
from .people import ADMIN_LOGIN, DEMO_LOGIN
from .size import Size
from .writer import Progress

__all__ = ["ADMIN_LOGIN", "DEMO_LOGIN", "Loaded", "Progress", "Size", "load"]
