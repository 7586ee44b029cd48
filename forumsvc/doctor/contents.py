"""What a new forum lacks, and what is made from the texts: the search index and their HTML."""

from collections.abc import Iterator

from .. import clock
from ..markup import RENDERER_VERSION
from ..models import SITE_FIELDS, Role
from ..queries import nodes, outdated_html, search_documents, staff
from ..queries.search_documents import POSTS
from ..services import site_texts
from ..services.search import index_check
from .finding import Finding, error, info, warning
from .installation import Installation

_REINDEX = "run `forumsvc search reindex`, the service may run meanwhile."


def check_setup(installation: Installation) -> Iterator[Finding]:
    """Yield what a new forum still needs before anybody can write."""
    with installation.database.reads.connect() as db:
        roles = {row.role for row in staff.staff(db, clock.now())}
        has_nodes = bool(nodes.all_nodes(db))
        own = site_texts.names_of_own(db)
    if Role.ADMIN not in roles:
        yield info(
            "The forum has no active admin: `forumsvc user add LOGIN --email ADDRESS --role admin`."
        )
    if not has_nodes:
        yield info(
            "The forum has no node, so nobody can open a topic: an admin adds it on the pages, "
            "under Administration, or `forumsvc node add NAME` does."
        )
    settings = {item.name: item.setting for item in SITE_FIELDS} | {"logo": "site.logo"}
    hidden = sorted({settings[name] for name in own} & installation.settings.explicit)
    if hidden:
        yield info(
            f"Not used, for administrators have set others: {', '.join(hidden)} of the ini file. "
            "`forumsvc site show` has what is shown."
        )


def check_search(installation: Installation) -> Iterator[Finding]:
    """Yield what searches do not find; nothing if the search is switched off."""
    if installation.settings["search.open_to"] == "off":
        return
    before = clock.now() - index_check.LATE
    with installation.database.reads.connect() as db:
        if not search_documents.is_complete(db):
            yield error(
                f"Searches are answered with 503, for the index is not complete: {_REINDEX}"
            )
            return
        for words, post in POSTS.items():
            missing = sum(len(item.ids) for item in index_check.missing(db, words, before))
            if missing:
                yield warning(
                    f"The index lacks {missing} of the {post.__tablename__}, or has them as an "
                    f"older version made them: {_REINDEX}"
                )


def check_html(installation: Installation) -> Iterator[Finding]:
    """Yield how many texts are not as this version would show them."""
    with installation.database.reads.connect() as db:
        outdated = outdated_html.count(db, RENDERER_VERSION)
        fallbacks = outdated_html.count_fallbacks(db)
    if outdated > fallbacks:
        yield warning(
            f"Texts rendered by another version: {outdated - fallbacks}. The background worker "
            "renders those of older ones; `forumsvc content rerender` does all at once."
        )
    if fallbacks:
        yield info(
            f"Texts shown unrendered: {fallbacks}. `forumsvc content rerender` tries again; those "
            "that are too much for it stay."
        )
