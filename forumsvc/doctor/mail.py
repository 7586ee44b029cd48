"""Members to whom nothing is sent any more, because their mail server refuses it."""

from collections.abc import Iterator

from ..services.notifications import refusals
from .finding import Finding, warning
from .installation import Installation

_MOST_NAMED = 5


def check(installation: Installation) -> Iterator[Finding]:
    """Yield how many they are, and the names of some."""
    with installation.database.reads.connect() as db:
        number = refusals.number(db)
        logins = refusals.logins(db, _MOST_NAMED)
    if number:
        yield warning(
            f"Members whose address is refused, so that they get no emails about what happened: "
            f"{number} ({', '.join(logins)}{', …' if number > len(logins) else ''}). Where the "
            "cause is gone, or was yours: `forumsvc user mail LOGIN --resume`."
        )
