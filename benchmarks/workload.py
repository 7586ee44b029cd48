"""Mixed requests of members: what the mixes of `benchmarks.run` and the soak send.

A day of a forum is five reads to one write; its requests have no end, and are the same in each run.
"""

import random
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from itertools import islice

from benchmarks.endpoints import (
    MEMBERS,
    NOBODY,
    PLAIN_TEXT,
    TEXT,
    Endpoint,
    open_topics,
    reply,
)
from benchmarks.members import Members
from benchmarks.request import API, Request, ask_json, get, send
from benchmarks.servers import Server

REPLIES, DAY = "19 reads, 1 reply", "a day: 5 reads, 1 write"
MIX_AIMS = {(REPLIES, MEMBERS): 0.4, (DAY, MEMBERS): 0.15}
"""The lowest acceptable rates of one process on PostgreSQL, relative to the baseline."""
MAX_TAIL = 4.0
"""Of the reads of a mix: their p99 by their p50."""
READS_TO_A_WRITE = 5
MEMBER_COUNT = 200
"""Whose requests a mix is."""
_DAY_LENGTH = 2_400
"""How many requests of a day are sent again and again by a burst."""
_EDITORS, _UNDONE_AFTER, _WITH_CODE = 8, 4, 0.25


def mixes(server: Server, members: Members) -> list[Endpoint]:
    """Return the mixes to measure on a filled forum."""
    topics = open_topics(server, members.token)
    day = islice(Day(server, members, topics).requests(), _DAY_LENGTH)
    return [
        Endpoint(REPLIES, NOBODY, _reads_and_replies(members, topics, [None], 1)),
        Endpoint(
            REPLIES,
            MEMBERS,
            _reads_and_replies(members, topics, members.tokens, len(members.tokens)),
        ),
        Endpoint(DAY, MEMBERS, list(day)),
    ]


def _reads_and_replies(
    members: Members, topics: list[int], readers: Sequence[str | None], authors: int
) -> list[Request]:
    """Return nineteen reads to one reply, each by the next reader or author.

    readers: their tokens, None for nobody; authors: how many of the members reply.
    """
    paths: list[str] = []
    for at in range(len(topics)):
        others = [topics[(at + step) % len(topics)] for step in range(6)]
        paths += [f"{API}/topics"] * 7
        paths += [f"{API}/topics/{other}" for other in others]
        paths += [f"{API}/topics/{other}/replies" for other in others]
    requests = [get(path, readers[at % len(readers)]) for at, path in enumerate(paths)]
    for at, topic in enumerate(topics):
        requests.insert(20 * at + 19, reply(members, at % authors, topic))
    return requests


class Day:
    """Chooses what members do, at random but the same in each run.

    topics: open ones.
    """

    def __init__(self, server: Server, members: Members, topics: list[int]) -> None:
        self._members, self._topics = members, topics
        self._rng = random.Random(1)  # noqa: S311 - no secret is made of it
        self._undo: defaultdict[str, deque[Request]] = defaultdict(deque)
        self._node = ask_json(server.port, get(f"{API}/nodes"))[0]["id"]
        self._edits = 0
        # How often each is chosen, of the reads and of the writes.
        self._reads = {
            self._list_topics: 6,
            self._show_topic: 5,
            self._list_replies: 5,
            self._count_unread: 3,
            self._list_notifications: 1,
        }
        self._writes = {
            self._reply: 6,
            self._like: 5,
            self._mark_read: 4,
            self._edit: 2,
            self._follow: 1,
            self._favorite: 1,
            self._create_topic: 1,
        }
        first = [reply(members, at % len(members.tokens), topics[0]) for at in range(_EDITORS)]
        self._editable = [
            (ask_json(server.port, request)["id"], members.tokens[at % len(members.tokens)])
            for at, request in enumerate(first)
        ]

    def requests(self) -> Iterator[Request]:
        """Yield requests without end."""
        while True:
            for weights in [self._reads] * READS_TO_A_WRITE + [self._writes]:
                [make] = self._rng.choices([*weights], [*weights.values()])
                yield make()

    def _list_topics(self) -> Request:
        return get(f"{API}/topics", self._token())

    def _show_topic(self) -> Request:
        return get(f"{API}/topics/{self._topic()}", self._token())

    def _list_replies(self) -> Request:
        return get(f"{API}/topics/{self._topic()}/replies", self._token())

    def _count_unread(self) -> Request:
        return get(f"{API}/notifications/unread_count", self._token())

    def _list_notifications(self) -> Request:
        return get(f"{API}/notifications", self._token())

    def _reply(self) -> Request:
        author = self._rng.randrange(len(self._members.tokens))
        return reply(self._members, author, self._topic(), self._text())

    def _create_topic(self) -> Request:
        topic = {"title": "Timeouts after the upgrade", "node_id": self._node, "body": PLAIN_TEXT}
        return send("POST", f"{API}/topics", self._token(), topic)

    def _edit(self) -> Request:
        """Edit one of few replies: another text each time, also where a burst begins again."""
        self._edits += 1
        reply_id, token = self._editable[self._edits % len(self._editable)]
        body = {"body": f"{PLAIN_TEXT}\nEdited {self._edits} times."}
        return send("POST", f"{API}/replies/{reply_id}", token, body)

    def _mark_read(self) -> Request:
        return send("POST", f"{API}/topics/{self._topic()}/read", self._token())

    def _like(self) -> Request:
        token, liked = self._token(), {"obj_type": "topic", "obj_id": self._topic()}
        do, undo = (send(method, f"{API}/likes", token, liked) for method in ("POST", "DELETE"))
        return self._done_or_undone("like", do, undo)

    def _follow(self) -> Request:
        return self._relate("follow")

    def _favorite(self) -> Request:
        return self._relate("favorite")

    def _relate(self, verb: str) -> Request:
        token, topic = self._token(), self._topic()
        paths = (f"{API}/topics/{topic}/{action}" for action in (verb, f"un{verb}"))
        return self._done_or_undone(verb, *(send("POST", path, token) for path in paths))

    def _done_or_undone(self, kind: str, do: Request, undo: Request) -> Request:
        """Return `do`, or what undoes an earlier one: so each changes something, however often."""
        waiting = self._undo[kind]
        if len(waiting) > _UNDONE_AFTER:
            return waiting.popleft()
        waiting.append(undo)
        return do

    def _text(self) -> str:
        return TEXT if self._rng.random() < _WITH_CODE else PLAIN_TEXT

    def _token(self) -> str:
        return self._rng.choice(self._members.tokens)

    def _topic(self) -> int:
        return self._rng.choice(self._topics)
