"""Generates a realistic community, to try the service with and for benchmarks."""

from .language import LANGUAGES
from .load import LoadResult, Progress, load
from .people import ADMIN_LOGIN, DEMO_LOGIN
from .size import Size

__all__ = ["ADMIN_LOGIN", "DEMO_LOGIN", "LANGUAGES", "LoadResult", "Progress", "Size", "load"]
