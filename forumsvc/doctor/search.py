"""The search index: complete, and of this version."""

from collections.abc import Iterator

from .. import clock
from ..diagnostics import Problem
from ..diagnostics.problem import error, warning
from ..queries import search_documents
from ..queries.search_documents import POSTS
from ..services import search_check
from .installation import Installation

_REINDEX = "run `forumsvc search reindex`, the service may run meanwhile."


def check(installation: Installation) -> Iterator[Problem]:
    """Yield what searches do not find; nothing if the search is switched off."""
    if installation.settings["search.open_to"] == "off":
        return
    before = clock.now() - search_check.LATE
    with installation.database.reads.connect() as db:
        if not search_documents.is_complete(db):
            yield error(
                f"Searches are answered with 503, for the index is not complete: {_REINDEX}"
            )
            return
        for words, post in POSTS.items():
            missing = sum(len(one.ids) for one in search_check.missing(db, words, before))
            if missing:
                yield warning(
                    f"The index lacks {missing} of the {post.__tablename__}, or has them as an "
                    f"older version made them: {_REINDEX}"
                )
