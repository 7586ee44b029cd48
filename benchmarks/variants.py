"""The plain way beside own machinery that no setting turns off, for `benchmarks.machinery`."""

from typing import Any

import forumsvc
from forumsvc.web.api import steps


def slow_work_in_view(global_config: dict[str, str], **ini: str) -> Any:
    """Create the forum (a `paste.app_factory`) with its slow work inside the view, while the item
    is locked.
    """
    order = ("schema", "replayed", "idempotent", "locked", "prework", "http_cache")
    derivers = dict(steps.VIEW_STEPS)
    steps.VIEW_STEPS = tuple((name, derivers[name]) for name in order)
    return forumsvc.main(global_config, **ini)
