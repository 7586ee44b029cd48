"""The Redis in which calls are counted."""

from collections.abc import Iterator

from ..settings import Settings, SettingsError
from ..settings.masking import mask_url
from ..web.limits.rate_limiter import Counter
from .problem import Problem, error


def check(settings: Settings) -> Iterator[Problem]:
    """Yield why nothing would be counted."""
    try:
        answers = Counter(settings).answers()
    except SettingsError as failure:
        yield error(failure)
        return
    if not answers:
        where = mask_url(settings["rates.storage"])
        yield error(f"rates.storage: {where} does not answer; nothing would be counted")
