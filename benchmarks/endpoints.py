"""What is measured on a forum, and what is to be reached (the aims)."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.community import Community
from benchmarks.request import Request, form, get, send
from benchmarks.servers import Server

API = "/api/v3"
SPREAD = 100
"""How many different topics, closed ones left out, the requests of one endpoint go round."""
REFRESHES = 2_000
"""Refresh tokens for one second of load: each can be spent once."""
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
class Aim:
    """The least rate as a part of the empty view's and of the yardstick's; None: no aim."""

    empty: float
    yardstick: float | None = None


@dataclass(frozen=True)
class Endpoint:
    """What is measured.

    name, caller: as the table says them; make: returns, before each burst, the requests to be made
    in this order, over and over; aim: what is to be reached on PostgreSQL, by one process and on
    16 connections; beside_yardstick: whether the yardstick answers the same.
    """

    name: str
    caller: str
    make: Make
    aim: Aim | None = None
    beside_yardstick: bool = False


# Five times Misago's 86 a second, measured where the empty view made 8,900.
REPLIES = Aim(5 * 86 / 8_900)
AIMS = {
    (LIST, NOBODY): Aim(0.5, yardstick=1.5),
    (LIST, MEMBER): Aim(0.35),
    ("topic detail", NOBODY): Aim(0.45),
    ("topic detail", MEMBER): Aim(0.25),
    ("20 replies", NOBODY): Aim(0.35),
    ("create reply", MEMBER): REPLIES,
    ("create reply", MEMBERS): REPLIES,
}
MADE_ANEW = Aim(0.3, yardstick=0.75)
PROCESSES_AIM = 1.4
"""What two processes are to make of the rate of one, reading."""


def made_anew() -> Endpoint:
    """Return the topic list of a forum that keeps no pages in memory."""
    name = f"{LIST}, made anew"
    return Endpoint(name, NOBODY, _always([get(f"{API}/topics")]), MADE_ANEW, True)


def endpoints(server: Server, community: Community, seconds: float) -> list[Endpoint]:
    """Return what to measure on a forum that is filled.

    seconds: how long a burst lasts; what can be asked for once only is made for so long.
    """
    # As most members do, the one who is measured blocks nobody: who does has lists of their own.
    for user in server.ask(get(f"{API}/users/me/blocked?limit=150", community.token)):
        server.ask(send("POST", f"{API}/users/{user['id']}/unblock", community.token))
    topics = _open_topics(server, community.token)
    return [
        *_readings(server, community, topics),
        *_not_modified(server),
        *_writings(server, community, topics),
        _mixed(community, topics),
        *_grants(community, seconds),
    ]


def _readings(server: Server, community: Community, topics: list[int]) -> list[Endpoint]:
    node = server.ask(get(f"{API}/topics?limit=1"))[0]["node_id"]
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
            _always([get(path, token) for path in paths]),
            AIMS.get((name, caller)),
            beside_yardstick=name == LIST and caller == NOBODY,
        )
        for callers, table in (
            (((NOBODY, None), (MEMBER, community.token)), both),
            (((MEMBER, community.token),), own),
        )
        for name, paths in table.items()
        for caller, token in callers
    ]


def _not_modified(server: Server) -> list[Endpoint]:
    """Return the list asked for by who has it already; nothing where lists carry no ETag."""
    plain = get(f"{API}/topics")

    def make() -> list[Request]:
        tag = server.answer(plain).headers["etag"]
        again = get(plain.path, headers={"If-None-Match": tag})
        status = server.answer(again).status
        if status != 304:
            raise RuntimeError(f"If-None-Match of the ETag just given: {status}, not 304")
        return [again]

    if "etag" not in server.answer(plain).headers:
        return []
    return [Endpoint(f"{LIST}, 304", NOBODY, make)]


def _writings(server: Server, community: Community, topics: list[int]) -> list[Endpoint]:
    token = community.token
    replies = [_reply(community, token, topic) for topic in topics]
    # Each in the name of another, as in a forum: of one author's replies each waits for the last.
    tokens = community.access_tokens(community.ids)
    by_many = [
        _reply(community, tokens[at % len(tokens)], topic, at) for at, topic in enumerate(topics)
    ]
    node = server.ask(get(f"{API}/nodes"))[0]["id"]
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
    # Whatever the member likes already: each request of the round is to change something.
    for _, undo in pairs.values():
        for request in undo:
            server.ask(request)
    return [
        Endpoint("create topic", MEMBER, _always([send("POST", f"{API}/topics", token, topic)])),
        Endpoint("create reply", MEMBER, _always(replies), AIMS["create reply", MEMBER]),
        Endpoint("create reply", MEMBERS, _always(by_many), AIMS["create reply", MEMBERS]),
        *(Endpoint(name, MEMBER, _always(do + undo)) for name, (do, undo) in pairs.items()),
    ]


def _mixed(community: Community, topics: list[int]) -> Endpoint:
    """Return a community's day: nineteen reads to one reply."""
    requests = []
    for at, topic in enumerate(topics):
        others = [topics[(at + step) % len(topics)] for step in range(6)]
        requests += [get(f"{API}/topics")] * 7
        requests += [get(f"{API}/topics/{other}") for other in others]
        requests += [get(f"{API}/topics/{other}/replies") for other in others]
        requests.append(_reply(community, community.token, topic))
    return Endpoint("19 reads, 1 reply", "both", _always(requests))


def _grants(community: Community, seconds: float) -> list[Endpoint]:
    token = "/oauth/token"
    many = REFRESHES * math.ceil(seconds)
    return [
        Endpoint(
            "refresh grant",
            "client",
            lambda: [form(token, fields) for fields in community.refresh_grants(many)],
        ),
        Endpoint("password grant", "client", _always([form(token, community.password_grant())])),
    ]


def _reply(community: Community, token: str, topic: int, author: int = 0) -> Request:
    """Return a reply that mentions the user who comes behind its author among the busiest."""
    mentioned = community.logins[(author + 1) % len(community.logins)]
    body = {"body": TEXT.format(mentioned=mentioned)}
    return send("POST", f"{API}/topics/{topic}/replies", token, body)


def _open_topics(server: Server, token: str) -> list[int]:
    """Return the topics that were active last and to which the token's user may reply."""
    listed = [topic["id"] for topic in server.ask(get(f"{API}/topics?limit={SPREAD}"))]
    return [
        topic
        for topic in listed
        if server.ask(get(f"{API}/topics/{topic}", token))["abilities"]["reply"]
    ]


def _always(requests: Sequence[Request]) -> Make:
    """Return a function that returns the same requests each time."""
    return lambda: requests
