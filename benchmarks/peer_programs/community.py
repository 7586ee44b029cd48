"""Writes the community of a filled forumsvc to a file for its peers (`inside/community.py`).

All that a guest sees there: topics and replies that are deleted or blocked are left out.
"""

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import make_url

from benchmarks.peer_programs.inside.community import GAP

READ = WRITTEN = 100
"""How many topics are read in turn, and replied to; no topic is both."""
REPLIES = 20
"""How many replies each of the topics has that are read."""
WORDS = 20
PASSWORD = "a-long-password-7"
_OWN = re.compile(r"\n\n(trace-\d+)$")
_TOPICS = """
SELECT t.id, t.title, t.body, u.login, extract(epoch FROM t.created_at), t.closed_at IS NULL
FROM topics t JOIN users u ON u.id = t.user_id
WHERE t.deleted_at IS NULL AND t.banned_at IS NULL ORDER BY t.created_at, t.id
"""
_REPLIES = """
SELECT r.topic_id, r.body, u.login, extract(epoch FROM r.created_at), r.deleted_at IS NULL
FROM replies r JOIN users u ON u.id = r.user_id ORDER BY r.created_at, r.id
"""
_PIECES = r"""
SELECT body FROM topics WHERE body !~ 'trace-\d+$'
UNION SELECT body FROM replies WHERE body !~ 'trace-\d+$'
"""


@dataclass(frozen=True)
class Written:
    """The file, and what the benchmark needs of it.

    read, written: ids in forumsvc; names: of members; words: that are sought, each in the titles of
    several topics.
    """

    path: Path
    topics: int
    posts: int
    read: list[int]
    written: list[int]
    names: list[str]
    words: list[str]


def write(database: str, path: Path) -> Written:
    """Write it. database: the URL of forumsvc's. Raises RuntimeError if it is too small."""
    url = make_url(database).set(drivername="postgresql")
    with psycopg.connect(url.render_as_string(hide_password=False)) as connection:
        topics = connection.execute(_TOPICS).fetchall()
        replies = connection.execute(_REPLIES).fetchall()
        pieces = [body for (body,) in connection.execute(_PIECES)]
        words = _words(connection, [title for _, title, *_ in topics])
    number_of = {topic[0]: number for number, topic in enumerate(topics, 1)}
    total = Counter(topic_id for topic_id, *_ in replies)
    shown = [(*reply[:4],) for reply in replies if reply[4] and reply[0] in number_of]
    visible = Counter(topic_id for topic_id, *_ in shown)
    posts = sorted(
        [(at, 0, topic_id, body, login) for topic_id, _, body, login, at, _ in topics]
        + [(at, 1, topic_id, body, login) for topic_id, body, login, at in shown],
        key=lambda post: post[:3],
    )
    open_ids = [topic[0] for topic in reversed(topics) if topic[5]]
    read = [it for it in open_ids if visible[it] == total[it] == REPLIES][:READ]
    written = [it for it in open_ids if 0 < total[it] < 2 * REPLIES and it not in read][:WRITTEN]
    if not read or not written:
        raise RuntimeError(f"No topic has just {REPLIES} replies; make a larger community.")
    names = list(dict.fromkeys(login for *_, login in posts))
    place_of = {name: place for place, name in enumerate(names)}
    splitter = _Splitter(pieces)
    content = {
        "password": PASSWORD,
        "names": names,
        "topics": [(title, place_of[login]) for _, title, _, login, *_ in topics],
        "posts": [
            (number_of[topic_id], place_of[login], float(at), *splitter.split(body))
            for at, _, topic_id, body, login in posts
        ],
        "pieces": splitter.pieces,
        "read": [number_of[it] for it in read],
        "written": [number_of[it] for it in written],
    }
    path.write_text(json.dumps(content), "utf-8")
    return Written(path, len(topics), len(posts), read, written, names, words)


_STOP_WORDS = """
SELECT word FROM unnest(%s::text[]) AS word WHERE to_tsvector('english', word) = ''::tsvector
"""


class _Splitter:
    """Splits texts of `benchmarks.fill` into the two texts of the demo that they are made of."""

    def __init__(self, pieces: list[str]) -> None:
        self.pieces = pieces
        self._place_of = {piece: place for place, piece in enumerate(self.pieces)}

    def split(self, body: str) -> tuple[list[int], str]:
        """Return the places of the pieces, and the words of its own behind them."""
        own = _OWN.search(body)
        if own is None:
            return [self._place_of[body]], ""
        rest = body[: own.start()]
        at = rest.find(GAP)
        while at >= 0:
            one, other = rest[:at], rest[at + len(GAP) :]
            if one in self._place_of and other in self._place_of:
                return [self._place_of[one], self._place_of[other]], own[1]
            at = rest.find(GAP, at + 1)
        raise RuntimeError(f"A text is not made of two of the demo: {body!r}")


def _words(connection: psycopg.Connection[Any], titles: list[str]) -> list[str]:
    """Return words in the titles of more and of fewer topics, of which none is very common.

    PostgreSQL's search, which some peers use, finds none for a word such as "where".
    """
    found = Counter(
        word for title in titles for word in set(re.findall(r"\b[a-z]{5,}\b", title.lower()))
    )
    for (word,) in connection.execute(_STOP_WORDS, [list(found)]).fetchall():
        del found[word]
    some = [word for word, many in found.most_common() if 20 <= many <= len(titles) // 20]
    step = max(1, len(some) // WORDS)
    return some[::step][:WORDS] or [word for word, _ in found.most_common(WORDS)]
