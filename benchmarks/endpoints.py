"""The measured endpoints of a forum, and what is asked of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.members import Members
from benchmarks.request import API, Request, ask, ask_json, form, get, send
from benchmarks.servers import Server

TOPIC_COUNT = 100
"""How many different open topics the requests of an endpoint use in turn."""
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
AIMS = {
    (LIST, NOBODY): 0.5,
    (LIST, MEMBER): 0.35,
    ("topic detail", NOBODY): 0.45,
    ("topic detail", MEMBER): 0.25,
    ("20 replies", NOBODY): 0.35,
    # Five times Misago's 86 a second, measured where the baseline made 8,900.
    ("create reply", MEMBER): 5 * 86 / 8_900,
    ("create reply", MEMBERS): 5 * 86 / 8_900,
    ("page of the topic list", NOBODY): 0.35,
    ("page of a topic", NOBODY): 0.35,
    (f"{LIST}, made anew", NOBODY): 0.3,
}
"""The lowest acceptable rates of one process on PostgreSQL, relative to the baseline."""


@dataclass(frozen=True)
class Endpoint:
    """A measured endpoint; its requests are sent in this order, repeatedly."""

    name: str
    caller: str
    requests: Sequence[Request]


def uncached() -> list[Endpoint]:
    """Return what is measured of a forum without a page cache."""
    return [Endpoint(f"{LIST}, made anew", NOBODY, [get(f"{API}/topics")])]


def endpoints(server: Server, members: Members) -> list[Endpoint]:
    """Return the endpoints to measure on a filled forum."""
    # Like most members, the measured one blocks nobody: one who does has lists of their own.
    for user in ask_json(server.port, get(f"{API}/users/me/blocked?limit=150", members.token)):
        ask_json(server.port, send("POST", f"{API}/users/{user['id']}/unblock", members.token))
    topics = _open_topics(server, members.token)
    return [*_reads(server, members, topics), *_writes(server, members, topics)]


def _reads(server: Server, members: Members, topics: list[int]) -> list[Endpoint]:
    first = ask_json(server.port, get(f"{API}/topics?limit=1"))[0]
    deep = min(100_000, members.topics // 2)
    both = {
        LIST: [f"{API}/topics"],
        "topic list of a node": [f"{API}/topics?node_id={first['node_id']}"],
        f"topic list, offset {deep:,}": [f"{API}/topics?offset={deep}"],
        "topic detail": [f"{API}/topics/{topic}" for topic in topics],
        "20 replies": [f"{API}/topics/{topic}/replies" for topic in topics],
        "user detail": [f"{API}/users/{login}" for login in members.logins],
        "node list": [f"{API}/nodes"],
    }
    own = {"hello": [f"{API}/hello"], "notifications": [f"{API}/notifications"]}
    pages = {
        "page of the topic list": ["/topics"],
        "page of a topic": [f"/topics/{topic}" for topic in topics],
    }
    callers = {NOBODY: None, MEMBER: members.token}
    found = [
        Endpoint(name, caller, [get(path, callers[caller]) for path in paths])
        for table, who in ((both, [NOBODY, MEMBER]), (own, [MEMBER]), (pages, [NOBODY]))
        for name, paths in table.items()
        for caller in who
    ]
    tag = ask(server.port, get(f"{API}/topics")).headers["etag"]
    again = get(f"{API}/topics", headers={"If-None-Match": tag})
    return [*found, Endpoint(f"{LIST}, 304", NOBODY, [again])]


def _writes(server: Server, members: Members, topics: list[int]) -> list[Endpoint]:
    token = members.token
    # Each by another author, as in a forum: the replies of one author wait for each other.
    by_one = [_reply(members, 0, topic) for topic in topics]
    by_many = [_reply(members, at % len(members.tokens), it) for at, it in enumerate(topics)]
    node = ask_json(server.port, get(f"{API}/nodes"))[0]["id"]
    body = TEXT.format(mentioned=members.logins[-1])
    topic = {"title": "Timeouts after the upgrade", "node_id": node, "body": body}
    pairs = {"like, unlike": (_likes("POST", token, topics), _likes("DELETE", token, topics))}
    for verb in ("follow", "favorite"):
        on, off = (
            [send("POST", f"{API}/topics/{topic}/{action}", token) for topic in topics]
            for action in (verb, f"un{verb}")
        )
        pairs[f"{verb}, un{verb}"] = on, off
    # Remove existing relations of the member: each request of the round must change something.
    for _, undo in pairs.values():
        for request in undo:
            ask_json(server.port, request)
    return [
        Endpoint("create topic", MEMBER, [send("POST", f"{API}/topics", token, topic)]),
        Endpoint("create reply", MEMBER, by_one),
        Endpoint("create reply", MEMBERS, by_many),
        *(Endpoint(name, MEMBER, [*do, *undo]) for name, (do, undo) in pairs.items()),
        Endpoint("19 reads, 1 reply", "both", _mixed(members, topics)),
        Endpoint("password grant", "client", [form("/oauth/token", members.login)]),
    ]


def _mixed(members: Members, topics: list[int]) -> list[Request]:
    """Return nineteen reads to one reply."""
    requests = []
    for at, topic in enumerate(topics):
        others = [topics[(at + step) % len(topics)] for step in range(6)]
        requests += [get(f"{API}/topics")] * 7
        requests += [get(f"{API}/topics/{other}") for other in others]
        requests += [get(f"{API}/topics/{other}/replies") for other in others]
        requests.append(_reply(members, 0, topic))
    return requests


def _likes(method: str, token: str, topics: list[int]) -> list[Request]:
    what = [{"obj_type": "topic", "obj_id": topic} for topic in topics]
    return [send(method, f"{API}/likes", token, liked) for liked in what]


def _reply(members: Members, author: int, topic: int) -> Request:
    """Return a reply that mentions the member after its author."""
    mentioned = members.logins[(author + 1) % len(members.logins)]
    body = {"body": TEXT.format(mentioned=mentioned)}
    return send("POST", f"{API}/topics/{topic}/replies", members.tokens[author], body)


def _open_topics(server: Server, token: str) -> list[int]:
    """Return the topics with the latest activity to which every user may reply."""
    listed = ask_json(server.port, get(f"{API}/topics?limit={TOPIC_COUNT}"))
    topics = (ask_json(server.port, get(f"{API}/topics/{topic['id']}", token)) for topic in listed)
    # Moderators may reply to closed topics, too.
    return [it["id"] for it in topics if it["abilities"]["reply"] and not it["closed_at"]]
