"""Generates a realistic community, to try the service with and for benchmarks."""

from .load import LoadResult, load
from .people import ADMIN_LOGIN, DEMO_LOGIN
from .size import Size
from .writer import Progress

__all__ = ["ADMIN_LOGIN", "DEMO_LOGIN", "LoadResult", "Progress", "Size", "load"]
