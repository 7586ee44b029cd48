"""Reads what a person types into a search field: words, and operators such as `by:login`."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from ..clock import parse_rfc3339
from ..errors import Invalid
from ..text.ids import is_login, parse_id
from ..text.messages import Clause, Message
from .tokens import Term, as_prefix, terms

MAX_WORDS = 10

_QUOTES = '"\u201c\u201d\u201e'
_NAMES = "node|by|in|before|after|is|order"
# A minus excludes a word before which it stands: not in --force and ->.
_PART = re.compile(
    rf"(?:(?<!\S)(?P<minus>-)(?![->]))?(?:(?P<name>{_NAMES})[:\uff1a])?"
    rf"(?:[{_QUOTES}](?P<quoted>[^{_QUOTES}]*)[{_QUOTES}]|(?P<plain>\S+))",
    re.IGNORECASE,
)
_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")


class Where(StrEnum):
    """The posts that are searched."""

    ALL = "all"
    TITLE = "title"
    TOPICS = "topics"
    REPLIES = "replies"


class Order(StrEnum):
    RELEVANCE = "relevance"
    RECENT = "recent"
    LIKES = "likes"


class State(StrEnum):
    """A state of a topic that a search can ask for."""

    OPEN = "open"
    CLOSED = "closed"
    EXCELLENT = "excellent"
    UNANSWERED = "unanswered"


@dataclass(frozen=True, slots=True)
class Query:
    """What is sought.

    text: what was typed; words: all of them must stand in one post; phrases: in normal form, each
    must stand there as it is; excluded, excluded_phrases: what must not; node: an id or a name; by:
    a login or an id; since, until: the time of the post, until not included. None: not asked for.
    """

    text: str
    words: tuple[Term, ...] = ()
    phrases: tuple[str, ...] = ()
    excluded: tuple[Term, ...] = ()
    excluded_phrases: tuple[str, ...] = ()
    node: str | None = None
    by: str | None = None
    where: Where | None = None
    since: datetime | None = None
    until: datetime | None = None
    states: tuple[State, ...] = ()
    order: Order | None = None


@dataclass
class _Parts:
    """What was read of a query so far."""

    words: list[Term] = field(default_factory=list)
    phrases: list[str] = field(default_factory=list)
    excluded: list[Term] = field(default_factory=list)
    excluded_phrases: list[str] = field(default_factory=list)
    operators: dict[str, Any] = field(default_factory=dict)
    typed: list[Term] = field(default_factory=list)
    """The words that were typed outside of quotes and without a star."""


def parse_query(text: str) -> Query:
    """Return what a text asks for.

    Raises Invalid for an operator with a wrong value, for a query without a word, node or user, and
    for one with more than `MAX_WORDS` words.
    """
    parts = _Parts()
    for item in _PART.finditer(text):
        name, is_excluded = item["name"], item["minus"] is not None
        if name is not None:
            _read_operator(parts, name.lower(), item, is_excluded=is_excluded)
        elif item["quoted"] is not None:
            _read_phrase(parts, item["quoted"], is_excluded=is_excluded)
        else:
            _read_words(parts, item["plain"], is_excluded=is_excluded)
    _check(parts)
    words = parts.words
    if words == parts.typed and len(words) == 1:
        # Whoever types one word may have typed its beginning.
        words = [as_prefix(words[0])]
    return Query(
        text,
        tuple(words),
        tuple(parts.phrases),
        tuple(parts.excluded),
        tuple(parts.excluded_phrases),
        **parts.operators,
    )


def parse_moment(name: str, text: str) -> datetime:
    """Return the beginning of a year, month or day (`2026`, `2026-01`, `2026-01-31`), or the time
    of RFC 3339.

    name: of the parameter. Raises Invalid.
    """
    match = _DATE.fullmatch(text)
    if match is None:
        moment = parse_rfc3339(text)
    else:
        try:
            year, month, day = (int(item or 1) for item in match.groups())
            moment = datetime(year, month, day, tzinfo=UTC)
        except ValueError:
            moment = None
    if moment is None:
        raise Invalid(name, Clause("%(text)s is no date such as 2026-01-31", text=f"'{text}'"))
    return moment


def wrong_operator(reason: str) -> Invalid:
    """Return the error of an operator with a wrong value, which says how to find it as words."""
    return Invalid("q", Clause("%(reason)s; put it in quotes to find it as words", reason=reason))


def _read_operator(parts: _Parts, name: str, match: re.Match[str], *, is_excluded: bool) -> None:
    if is_excluded:
        raise Invalid(
            "q", Clause("only words can be excluded by -, not %(text)s", text=f"'{match[0]}'")
        )
    value = match["plain"] if match["quoted"] is None else match["quoted"].strip()
    if not value.strip("@"):
        raise _unfinished(name)
    key, read = _OPERATORS[name]
    operand = read(name, value)
    if key == "states":
        operand = (*parts.operators.get(key, ()), operand)
    parts.operators[key] = operand


def _read_phrase(parts: _Parts, text: str, *, is_excluded: bool) -> None:
    words = terms(text)
    if not words:
        return
    if is_excluded:
        parts.excluded_phrases.append(text)
    else:
        parts.phrases.append(text)
        parts.words += words


def _read_words(parts: _Parts, text: str, *, is_excluded: bool) -> None:
    login = text.removeprefix("@")
    # Not @types/node, which can name nobody.
    if login != text and not is_excluded and (is_login(login) or parse_id(login)):
        parts.operators["by"] = login
        return
    words = terms(text)
    if text.endswith("*") and words:
        words[-1] = as_prefix(words[-1])
    if is_excluded:
        parts.excluded += words
        return
    parts.words += words
    parts.typed += words


def _check(parts: _Parts) -> None:
    count = len(parts.words) + len(parts.excluded) + len(parts.excluded_phrases)
    if count > MAX_WORDS:
        raise Invalid(
            "q",
            Message(
                "must have at most %(most)d words, and has %(count)d", most=MAX_WORDS, count=count
            ),
        )
    if parts.words or "node" in parts.operators or "by" in parts.operators:
        return
    if parts.excluded or parts.excluded_phrases:
        raise Invalid("q", "must also have a word that is to be found")
    raise Invalid("q", "must have a word, or name a node or a user, such as by:login")


def _unfinished(name: str) -> Invalid:
    return Invalid("q", Clause("%(name)s needs a value behind it", name=f"'{name}:'"))


def _in_operator(name: str, reason: str) -> Invalid:
    return wrong_operator(Message("%(field)s: %(reason)s", field=name, reason=reason))


def _read_text(name: str, value: str) -> str:
    return value.removeprefix("@") if name == "by" else value


def _read_moment(name: str, value: str) -> datetime:
    try:
        return parse_moment(name, value)
    except Invalid as error:
        raise _in_operator(name, error.reason) from None


def _choice(words: type[StrEnum]) -> Callable[[str, str], StrEnum]:
    def read(name: str, value: str) -> StrEnum:
        try:
            return words(value.lower())
        except ValueError:
            known = ", ".join(words)
            values = {"words": known, "value": f"'{value}'"}
            reason = Message("must be one of %(words)s, not %(value)s", **values)
            raise _in_operator(name, reason) from None

    return read


_OPERATORS: dict[str, tuple[str, Callable[[str, str], Any]]] = {
    "node": ("node", _read_text),
    "by": ("by", _read_text),
    "in": ("where", _choice(Where)),
    "after": ("since", _read_moment),
    "before": ("until", _read_moment),
    "is": ("states", _choice(State)),
    "order": ("order", _choice(Order)),
}
"""The field of `Query` and the function that reads the value, by the operator's name."""
