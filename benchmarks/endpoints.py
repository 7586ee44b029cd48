"""The measured endpoints of a forum, and their targets."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.community import Community
from benchmarks.request import Request, form, get, send
from benchmarks.servers import Server

API = "/api/v3"
TOPIC_COUNT = 100
"""How many different topics, except closed ones, the requests of an endpoint use in turn."""
REFRESH_TOKENS_PER_SECOND = 2_000
"""Refresh tokens for each second of load: each can be used once."""
TEXT = """Thanks @{mentioned}, that was it. For the next one who looks for this:

1. set the `timeout` to something above **30 s**
2. restart, then check with

```python
for attempt in range(3):
    print(client.get("/status", timeout=45))
```

See also <https://example.org/notes?page=2>.
"""
LIST = "topic list"
NOBODY, MEMBER, MEMBERS = "nobody", "member", "members"

Make = Callable[[], Sequence[Request]]


@dataclass(frozen=True)
class Target:
    """The lowest acceptable rate, relative to the Pyramid baseline and to the asyncpg baseline."""

    pyramid: float
    asyncpg: float | None = None


@dataclass(frozen=True)
class Endpoint:
    """A measured endpoint.

    name, caller: its labels in the table; make: returns, before each burst, the requests, which are
    sent in this order, repeatedly; target: on PostgreSQL, for one process and 16 connections;
    in_asyncpg_baseline: whether the asyncpg baseline has the same endpoint.
    """

    name: str
    caller: str
    make: Make
    target: Target | None = None
    in_asyncpg_baseline: bool = False


# Five times Misago's 86 a second, measured where the Pyramid baseline made 8,900.
CREATE_REPLY_TARGET = Target(5 * 86 / 8_900)
TARGETS = {
    (LIST, NOBODY): Target(0.5, asyncpg=1.5),
    (LIST, MEMBER): Target(0.35),
    ("topic detail", NOBODY): Target(0.45),
    ("topic detail", MEMBER): Target(0.25),
    ("20 replies", NOBODY): Target(0.35),
    ("create reply", MEMBER): CREATE_REPLY_TARGET,
    ("create reply", MEMBERS): CREATE_REPLY_TARGET,
}
PAGE_TARGET = Target(0.35)
UNCACHED_PAGE_TARGET = Target(0.1)
UNCACHED_TARGET = Target(0.3, asyncpg=0.75)
TWO_PROCESSES_TARGET = 1.4
"""The lowest acceptable rate of two processes, relative to one, for reads."""


def uncached(server: Server) -> list[Endpoint]:
    """Return what is measured of a forum without a page cache."""
    listed = _constant([get(f"{API}/topics")])
    topics = server.request_json(get(f"{API}/topics?limit={TOPIC_COUNT}"))
    ids = [topic["id"] for topic in topics]
    return [
        Endpoint(f"{LIST}, made anew", NOBODY, listed, UNCACHED_TARGET, True),
        *_pages(ids, UNCACHED_PAGE_TARGET, ", made anew"),
    ]


def _pages(topics: list[int], target: Target, suffix: str = "") -> list[Endpoint]:
    """Return the HTML pages of the topic list and of topics."""
    pages = {
        "topic list, page": [get("/topics")],
        "topic with replies, page": [get(f"/topics/{topic}") for topic in topics],
    }
    return [
        Endpoint(f"{name}{suffix}", NOBODY, _constant(requests), target)
        for name, requests in pages.items()
    ]


def endpoints(server: Server, community: Community, seconds: float) -> list[Endpoint]:
    """Return the endpoints to measure on a filled forum.

    seconds: the length of a burst; requests that can be sent only once are made for that time.
    """
    # Like most members, the measured one blocks nobody: one who does has lists of their own.
    for user in server.request_json(get(f"{API}/users/me/blocked?limit=150", community.token)):
        server.request_json(send("POST", f"{API}/users/{user['id']}/unblock", community.token))
    topics = _open_topics(server, community.token)
    return [
        *_reads(server, community, topics),
        *_pages(topics, PAGE_TARGET),
        _not_modified(server),
        *_writes(server, community, topics),
        _mixed(community, topics),
        *_grants(community, seconds),
    ]


def _reads(server: Server, community: Community, topics: list[int]) -> list[Endpoint]:
    node = server.request_json(get(f"{API}/topics?limit=1"))[0]["node_id"]
    deep = min(100_000, community.topics // 2)
    both = {
        LIST: [f"{API}/topics"],
        "topic list of a node": [f"{API}/topics?node_id={node}"],
        f"topic list, offset {deep:,}": [f"{API}/topics?offset={deep}"],
        "topic detail": [f"{API}/topics/{topic}" for topic in topics],
        "20 replies": [f"{API}/topics/{topic}/replies" for topic in topics],
        "user detail": [f"{API}/users/{login}" for login in community.logins],
        "node list": [f"{API}/nodes"],
    }
    own = {"hello": [f"{API}/hello"], "notifications": [f"{API}/notifications"]}
    return [
        Endpoint(
            name,
            caller,
            _constant([get(path, token) for path in paths]),
            TARGETS.get((name, caller)),
            in_asyncpg_baseline=name == LIST and caller == NOBODY,
        )
        for callers, table in (
            (((NOBODY, None), (MEMBER, community.token)), both),
            (((MEMBER, community.token),), own),
        )
        for name, paths in table.items()
        for caller, token in callers
    ]


def _not_modified(server: Server) -> Endpoint:
    """Return the list requested with its ETag."""
    plain = get(f"{API}/topics")

    def make() -> list[Request]:
        tag = server.send_request(plain).headers["etag"]
        again = get(plain.path, headers={"If-None-Match": tag})
        status = server.send_request(again).status
        if status != 304:
            raise RuntimeError(f"If-None-Match of the ETag just given: {status}, not 304")
        return [again]

    return Endpoint(f"{LIST}, 304", NOBODY, make)


def _writes(server: Server, community: Community, topics: list[int]) -> list[Endpoint]:
    token = community.token
    replies = [_reply(community, token, topic) for topic in topics]
    # Each by another author, as in a forum: the replies of one author wait for each other.
    tokens = community.access_tokens(community.ids)
    by_many = [
        _reply(community, tokens[at % len(tokens)], topic, at) for at, topic in enumerate(topics)
    ]
    node = server.request_json(get(f"{API}/nodes"))[0]["id"]
    opened = json.loads(replies[0].body or "")["body"]
    topic = {"title": "Timeouts after the upgrade", "node_id": node, "body": opened}
    liked = [{"obj_type": "topic", "obj_id": topic} for topic in topics]
    pairs = {
        "like, unlike": [
            [send(method, f"{API}/likes", token, what) for what in liked]
            for method in ("POST", "DELETE")
        ],
        **{
            f"{on}, {off}": [
                [send("POST", f"{API}/topics/{topic}/{action}", token) for topic in topics]
                for action in (on, off)
            ]
            for on, off in (("follow", "unfollow"), ("favorite", "unfavorite"))
        },
    }
    # Remove existing relations of the member: each request of the round must change something.
    for _, undo in pairs.values():
        for request in undo:
            server.request_json(request)
    return [
        Endpoint("create topic", MEMBER, _constant([send("POST", f"{API}/topics", token, topic)])),
        Endpoint("create reply", MEMBER, _constant(replies), TARGETS["create reply", MEMBER]),
        Endpoint("create reply", MEMBERS, _constant(by_many), TARGETS["create reply", MEMBERS]),
        *(Endpoint(name, MEMBER, _constant(do + undo)) for name, (do, undo) in pairs.items()),
    ]


def _mixed(community: Community, topics: list[int]) -> Endpoint:
    """Return a mixed load: nineteen reads to one reply."""
    requests = []
    for at, topic in enumerate(topics):
        others = [topics[(at + step) % len(topics)] for step in range(6)]
        requests += [get(f"{API}/topics")] * 7
        requests += [get(f"{API}/topics/{other}") for other in others]
        requests += [get(f"{API}/topics/{other}/replies") for other in others]
        requests.append(_reply(community, community.token, topic))
    return Endpoint("19 reads, 1 reply", "both", _constant(requests))


def _grants(community: Community, seconds: float) -> list[Endpoint]:
    token = "/oauth/token"
    many = REFRESH_TOKENS_PER_SECOND * math.ceil(seconds)
    return [
        Endpoint(
            "refresh grant",
            "client",
            lambda: [form(token, fields) for fields in community.refresh_grants(many)],
        ),
        Endpoint("password grant", "client", _constant([form(token, community.password_grant())])),
    ]


def _reply(community: Community, token: str, topic: int, author: int = 0) -> Request:
    """Return a reply that mentions the user after its author in the list of the most active."""
    mentioned = community.logins[(author + 1) % len(community.logins)]
    body = {"body": TEXT.format(mentioned=mentioned)}
    return send("POST", f"{API}/topics/{topic}/replies", token, body)


def _open_topics(server: Server, token: str) -> list[int]:
    """Return the topics with the latest activity to which every user may reply."""
    listed = server.request_json(get(f"{API}/topics?limit={TOPIC_COUNT}"))
    topics = (server.request_json(get(f"{API}/topics/{topic['id']}", token)) for topic in listed)
    # Moderators may reply to closed topics, too, and the most active user may be one.
    return [
        topic["id"] for topic in topics if topic["abilities"]["reply"] and not topic["closed_at"]
    ]


def _constant(requests: Sequence[Request]) -> Make:
    """Return a function that returns the same requests each time."""
    return lambda: requests
