"""How and where a post was found."""

from typing import Any

from ..clock import rfc3339
from ..queries.search import Post, Search
from ..search.excerpts import Excerpts, mark_title
from ..search.matching import WordMatcher
from ..search.query import Query
from ..search.tokens import Term


def match(post: Post, title: str, matcher: WordMatcher, excerpts: Excerpts) -> dict[str, Any]:
    """Return the `match` of a topic or reply. title: of the topic; excerpts: of the whole answer.

    The values that end in `_html` are escaped text with `<mark>` and no other element.
    """
    result = post.found
    kind = "reply" if result.reply_id else "title" if result.all_in_title else "topic"
    return {
        "kind": kind,
        "reply_id": result.reply_id,
        "title_html": mark_title(title, matcher),
        "excerpt_html": excerpts.excerpt(post.text),
    }


def understood(search: Search) -> dict[str, Any]:
    """Return what a query was understood to ask for."""
    query = search.query
    return {
        "words": _words(query.words),
        "phrases": [*query.phrases],
        "excluded": [*_words(query.excluded), *query.excluded_phrases],
        "in": str(search.where),
        "node_id": search.node_id,
        "user_id": search.user_id,
        "since": _moment(query, "since"),
        "until": _moment(query, "until"),
        "is": [str(state) for state in query.states],
        "order": str(search.order),
    }


def _words(terms: tuple[Term, ...]) -> list[str]:
    """Return the tokens of words; `*` stands behind the beginning of a word."""
    return [token + "*" * is_prefix for term in terms for token, is_prefix in term.parts()]


def _moment(query: Query, name: str) -> str | None:
    moment = getattr(query, name)
    return None if moment is None else rfc3339(moment)
