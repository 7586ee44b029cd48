"""The posts of a large community, multiplied by SQL, and their relations.

Python draws authors, ages and texts some thousands of times; the statements of `data/bulk.sql`
combine these draws, so that each post differs, and a few users and topics have most of the posts.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from itertools import accumulate
from random import Random
from typing import Any

from sqlalchemy import Connection, text

from ..markup import RENDERER_VERSION
from . import texts
from .language import Theme
from .rng import stream, zipf
from .size import Size

Render = Callable[[str], str]
"""Markdown → HTML."""

_BATCH = 16_384
_DECKS = {1: 4093, 2: 4091}
_SCALE = 1_000_000_000
"""Shares and ages are in parts of this."""

_STRIDES = {1: 40, 4: 14, 16: 12, 64: 10, 256: 9, 1024: 8, 4096: 7}
"""Stride → its share of the replies, in percent."""

_SHIFT = 4.0
_RECENT = 20_000
"""How many of the last replies notify the author of their topic."""

SERIAL = "9876501234"
"""The text for which each post has its number, so that some words are in one post only."""

_MOMENTS = {
    "postgresql": r"to_timestamp(\1)",
    "sqlite": r"strftime('%Y-%m-%d %H:%M:%S.000000', \1, 'unixepoch')",
}


@dataclass(frozen=True)
class Bulk:
    """What to multiply, and where it begins.

    size: how many users there are, and how many topics and replies to make, at least one topic;
    first_user, first_topic, first_reply: ids; node_ids: of the nodes of the themes; start, end: of
    the time of the posts.
    """

    size: Size
    first_user: int
    first_topic: int
    first_reply: int
    themes: Sequence[Theme]
    node_ids: Sequence[int]
    start: datetime
    end: datetime
    seed: int


def multiply(
    db: Connection, bulk: Bulk, render: Render, progress: Callable[[str, int, int | None], None]
) -> None:
    """Insert the topics, replies, relations and notifications. All counters stay 0."""
    size = bulk.size
    counts = _piece_counts(size, len(bulk.themes))
    values = {
        "users": size.users,
        "topics": size.topics,
        "replies": size.replies,
        "first_user": bulk.first_user,
        "first_topic": bulk.first_topic,
        "first_reply": bulk.first_reply,
        "markup_version": RENDERER_VERSION,
        "start": int(bulk.start.timestamp()),
        "span": int((bulk.end - bulk.start).total_seconds()) - 3600,
        "recent": _RECENT,
        **counts,
    }
    _run(db, "tables", {})
    _fill_tables(db, bulk, counts, render, progress)
    if db.dialect.name == "postgresql":
        db.execute(text("SET LOCAL work_mem = '256MB'"))
    # Without the numbers of rows PostgreSQL would join by nested loops.
    db.execute(text("ANALYZE"))
    for name, many in (("topics", size.topics), ("replies", size.replies)):
        for batch in range(-(-many // _BATCH)):
            progress(name, batch * _BATCH, many)
            _run(db, name, {**values, "batch": batch})
        progress(name, many, many)
    db.execute(text("ANALYZE"))
    _insert_relations(db, size, values, progress)
    _run(db, "drop", {})


def _insert_relations(
    db: Connection, size: Size, values: dict[str, int], progress: Callable[..., None]
) -> None:
    relations = (
        ("topic_likes", "topic_id", 2 * size.topics + size.replies // 10, "topic"),
        ("topic_follows", "topic_id", size.topics, "topic"),
        ("favorites", "topic_id", size.topics, "topic"),
        ("reply_likes", "reply_id", size.replies // 4, "reply"),
        ("user_follows", "target_id", 4 * size.users, "user"),
        ("user_blocks", "target_id", size.users // 20, "user"),
    )
    for done, (table, column, many, target) in enumerate(relations):
        progress("relations", done, len(relations))
        names = {"table": table, "column": column}
        if many and target == "user":
            _run(db, "relations to users", {**values, "many": many}, **names)
        elif many:
            targets = size.topics if target == "topic" else size.replies
            own = {"many": many, "targets": targets, "first_target": values[f"first_{target}"]}
            _run(db, "relations to posts", {**values, **own}, **names)
    _run(db, "follow notices", values)
    _run(db, "notifications", values)
    progress("relations", len(relations), len(relations))


def _fill_tables(
    db: Connection,
    bulk: Bulk,
    counts: dict[str, int],
    render: Render,
    progress: Callable[..., None],
) -> None:
    rng = stream(bulk.seed, "draws")
    series = [{"i": i} for i in range(_BATCH)]
    db.execute(text("INSERT INTO demo_series VALUES (:i)"), series)
    draws = list(_draws(bulk, rng))
    names = ", ".join(f":{name}" for name in draws[0])
    db.execute(text(f"INSERT INTO demo_draws VALUES ({names})"), draws)  # noqa: S608 - our names
    nodes = [{"number": at, "node": node_id} for at, node_id in enumerate(bulk.node_ids)]
    db.execute(text("INSERT INTO demo_themes VALUES (:number, :node)"), nodes)
    total = 1 + sum(counts.values()) * len(bulk.themes)
    pieces = []
    for piece in _pieces(bulk, counts, render):
        pieces.append(piece)
        progress("texts", len(pieces), total)
    db.execute(text("INSERT INTO demo_pieces VALUES (:id, :body, :html)"), pieces)


def _draws(bulk: Bulk, rng: Random) -> Iterator[dict[str, int]]:
    """Yield the draws of both decks.

    share: picks a user, few often; age: how old the topic is, of all there are: mostly new.
    """
    bounds = list(accumulate(theme.weight for theme in bulk.themes))
    strides = {one: weight for one, weight in _STRIDES.items() if one <= 1 + bulk.size.topics // 10}
    for deck, length in _DECKS.items():
        for number in range(length):
            rank = zipf(rng, _SCALE, _SHIFT * _SCALE / bulk.size.users)
            yield {
                "deck": deck,
                "number": number,
                "share": rank,
                "age": int(_SCALE * rng.random() ** 5),
                "stride": rng.choices(list(strides), list(strides.values()))[0],
                "theme": rng.choices(range(len(bounds)), cum_weights=bounds)[0],
                "first": rng.randrange(_SCALE),
                "second": rng.randrange(_SCALE),
            }


def _piece_counts(size: Size, themes: int) -> dict[str, int]:
    """Return how many pieces of text of each kind to make for each theme."""
    wanted = min(40_000, 50 + (size.topics + size.replies) // 20)
    each = min(5000, -(-wanted // themes))  # ids have room for 10,000 pieces of a kind and theme
    return {
        "titles": 2 * each,
        "tails": each,
        "openings": -(-each // 3),
        "paragraphs": each,
        "answers": -(-each // 3),
    }


def _pieces(bulk: Bulk, counts: dict[str, int], render: Render) -> Iterator[dict[str, Any]]:
    """Yield the pieces of texts: of a title, or Markdown with its HTML; and what separates them."""
    yield {"id": -1, "body": "\n\n", "html": "\n"}
    makers: dict[str, Callable[[Theme, Random], str]] = {
        "titles": lambda theme, rng: texts.title(theme, rng)[:200],
        "tails": _tail,
        "openings": texts.opening,
        "paragraphs": _paragraph,
        "answers": texts.answer,
    }
    for kind, (name, make) in enumerate(makers.items()):
        rng = stream(bulk.seed, "pieces", name)
        for at, theme in enumerate(bulk.themes):
            for number in range(counts[name]):
                body = make(theme, rng)
                html = "" if name in ("titles", "tails") else render(body)
                number_of_all = kind * 1_000_000 + at * 10_000 + number
                yield {"id": number_of_all, "body": body, "html": html}


def _tail(theme: Theme, rng: Random) -> str:
    """Return the end of a title: often nothing."""
    return f" ({theme.words['term'](rng)})" if rng.random() < 0.6 else ""  # type: ignore[operator]


def _paragraph(theme: Theme, rng: Random) -> str:
    paragraph = texts.paragraph(theme, rng, rng.choice(theme.language.paragraph_lengths))
    return f"{paragraph} (`trace-{SERIAL}`)" if rng.random() < 0.1 else paragraph


def _run(db: Connection, name: str, values: dict[str, int], **names: str) -> None:
    """Run the statements of this name, with `names` in place of what is in braces."""
    for statement in _statements(db.dialect.name)[name]:
        for word, used in names.items():
            statement = statement.replace(f"{{{word}}}", used)
        bound = text(statement)
        db.execute(bound, {key: values[key] for key in bound.compile().params})


@cache
def _statements(dialect: str) -> dict[str, list[str]]:
    source = (files(__package__) / "data" / "bulk.sql").read_text("utf-8")
    source = re.sub(r"moment\(([^()]*)\)", _MOMENTS[dialect], source)
    found = {}
    for section in source.split("-- name: ")[1:]:
        name, _, body = section.partition("\n")
        body = re.sub(r"^--.*$", "", body, flags=re.M)
        found[name] = [one.strip() for one in body.split(";") if one.strip()]
    return found
