"""Texts that an older version rendered."""

from collections.abc import Iterator

from ..diagnostics import Problem
from ..diagnostics.problem import info, warning
from ..markup import RENDERER_VERSION
from ..queries import outdated_html
from .installation import Installation


def check(installation: Installation) -> Iterator[Problem]:
    """Yield how many texts are not as this version would show them."""
    with installation.database.reads.connect() as db:
        outdated = outdated_html.count(db, RENDERER_VERSION)
        fallbacks = outdated_html.count_fallbacks(db)
    if outdated > fallbacks:
        yield warning(
            f"Texts rendered by another version: {outdated - fallbacks}. Run `forumsvc content "
            "rerender`, the service may run meanwhile."
        )
    if fallbacks:
        yield info(
            f"Texts shown unrendered: {fallbacks}. `forumsvc content rerender` tries again; those "
            "that are too much for it stay."
        )
