"""Proves that a forum does what is measured: pages with their content, and replies that last."""

import html
import json
import re
from collections.abc import Sequence

import psycopg
from sqlalchemy import make_url

from benchmarks.peer_programs.browser import Browser
from benchmarks.peer_programs.peer import LIST, SEARCH, TOPIC, Filled, Peer, Place, Replies
from benchmarks.peer_programs.running import PeerServer
from benchmarks.request import Request, ask

LEAST_TOPICS = 15
"""Of a list; forums have their own sizes of pages."""
_TAG = re.compile(r"<[^>]*>")
_NOTHING = "qwxzvk"
"""A word that is in no post."""


def count_posts(peer: Peer, place: Place) -> int:
    """Return how many posts the database has."""
    url = make_url(place.database).set(drivername="postgresql")
    with psycopg.connect(url.render_as_string(hide_password=False)) as connection:
        [found] = connection.execute(f"SELECT count(*) FROM {peer.posts}").fetchone() or [0]  # noqa: S608
    return int(found)


def browsers(peer: Peer, server: PeerServer, names: Sequence[str]) -> list[Browser]:
    """Log members in."""
    found = []
    for name in names:
        found.append(Browser(server.port))
        peer.log_in(found[-1], name)
    return found


def prove(
    peer: Peer,
    place: Place,
    filled: Filled,
    server: PeerServer,
    replies: Replies,
    member: Browser,
) -> None:
    """Raise RuntimeError if something of what is measured is not there; print what there is."""
    words = place.community.words
    pages = {
        name: _load(server, peer.requests(name, filled, words, member)[: peer.calls.get(name, 1)])
        for name in (LIST, TOPIC, SEARCH)
    }
    content = json.loads(place.community.path.read_text("utf-8"))
    titles = {title for title, _ in content["topics"]}
    topics = _titles(pages[LIST], titles)
    # Each post has a word of its own.
    own = [word for topic, *_, word in content["posts"] if topic == content["read"][0] and word]
    missing = [word for word in own if not re.search(rf"\b{word}\b", pages[TOPIC])]
    found = _titles(pages[SEARCH], titles)
    nothing = _titles(_load(server, peer.requests(SEARCH, filled, [_NOTHING], member)), titles)
    before = count_posts(peer, place)
    answer = ask(server.port, replies[0])
    created = count_posts(peer, place) - before
    print(
        f"{peer.name}, {server.processes}: started in {server.started_in:.1f} s, "
        f"{topics} topics in {len(pages[LIST]):,} characters, "
        f"{len(own) - len(missing)} of {len(own)} posts in {len(pages[TOPIC]):,}, "
        f"{found} titles found",
        flush=True,
    )
    if topics < LEAST_TOPICS or missing or found <= nothing or created != 1:
        raise RuntimeError(
            f"{peer.name} is not as it should be: without {missing}, {nothing} titles for nothing, "
            f"{created} replies with {answer.status} {answer.body[:2000]!r}; for {words[0]}: "
            + re.sub(r"\s+", " ", _TAG.sub("", pages[SEARCH]))[:2000]
        )


def _load(server: PeerServer, requests: Sequence[Request]) -> str:
    answers = [ask(server.port, request) for request in requests]
    for request, answer in zip(requests, answers, strict=True):
        if answer.status != 200:
            raise RuntimeError(f"{server.name}: {request.path}: {answer.status} {answer.body!r}")
    return "\n".join(answer.body.decode() for answer in answers)


def _titles(page: str, titles: set[str]) -> int:
    """Return how many of the titles are in a page."""
    text = html.unescape(_TAG.sub("", page))
    return sum(title in text for title in titles)
