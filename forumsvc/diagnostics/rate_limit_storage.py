"""Check of the storage of the rate limits (Redis)."""

from collections.abc import Iterator

from ..settings import Settings, SettingsError
from ..settings.masking import mask_url
from ..web.limits.rate_limiter import RateLimiter
from .problem import Problem, error


def check(settings: Settings) -> Iterator[Problem]:
    """Yield why requests could not be counted."""
    try:
        is_reachable = RateLimiter(settings).is_reachable()
    except SettingsError as failure:
        yield error(failure)
        return
    if not is_reachable:
        where = mask_url(settings["rate_limit.storage"])
        yield error(f"rate_limit.storage: {where} does not respond; requests would not be counted")
