"""What a query asks of the index, as PostgreSQL's tsquery and as an expression of SQLite's FTS5.

Tokens hold neither quotes nor backslashes; they are quoted all the same.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from .query import Query
from .tokens import Term

TITLE = "="
"""Stands before a token of a title."""
HIDDEN = "@hidden"
"""The token of posts that are banned or deleted, or are in such a topic."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Which documents are sought.

    tokens: all of them; prefixes: for each, one token that begins with it; excluded: not all tokens
    of one of these.
    """

    tokens: tuple[str, ...]
    prefixes: tuple[str, ...] = ()
    excluded: tuple[Term, ...] = ()

    def without(self, prefixes: Iterable[str]) -> "Condition":
        """Return the condition without some of its prefixes."""
        left_out = set(prefixes)
        remaining = tuple(prefix for prefix in self.prefixes if prefix not in left_out)
        return replace(self, prefixes=remaining)


def condition(
    query: Query,
    *,
    node_id: int | None,
    user_id: int | None,
    hidden: bool = False,
    in_title: bool = False,
) -> Condition:
    """Return what a query asks of one index.

    hidden: also posts that are hidden; in_title: all words must stand in the title.
    """
    mark = TITLE if in_title else ""
    parts = [part for term in query.words for part in term.parts()]
    tokens = [mark + token for token, is_prefix in parts if not is_prefix]
    if user_id is not None:
        tokens.append(f"@u{user_id}")
    if node_id is not None:
        tokens.append(f"@n{node_id}")
    prefixes = dict.fromkeys(mark + token for token, is_prefix in parts if is_prefix)
    excluded = query.excluded if hidden else (*query.excluded, Term((HIDDEN,)))
    return Condition(tuple(dict.fromkeys(tokens)), tuple(prefixes), excluded)


def tsquery(condition: Condition) -> str:
    """Return the condition as a text that PostgreSQL casts to tsquery."""
    parts = [*map(_lexeme, condition.tokens), *(f"{_lexeme(one)}:*" for one in condition.prefixes)]
    for term in condition.excluded:
        both = " & ".join(_lexeme(token) + ":*" * is_prefix for token, is_prefix in term.parts())
        parts.append(f"!({both})")
    return " & ".join(parts)


def fts5(condition: Condition) -> str:
    """Return the condition as the expression of MATCH."""
    parts = [*map(_string, condition.tokens), *(f"{_string(one)} *" for one in condition.prefixes)]
    text = " AND ".join(parts)
    for term in condition.excluded:
        both = " AND ".join(_string(token) + " *" * is_prefix for token, is_prefix in term.parts())
        text = f"({text}) NOT ({both})"
    return text


def _lexeme(token: str) -> str:
    escaped = token.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def _string(token: str) -> str:
    escaped = token.replace('"', '""')
    return f'"{escaped}"'
