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
PLAIN_TEXT = """Thanks, that worked for me. I had to restart it once more, though.

See you next time.
"""
LIST = "topic list"
NOBODY, MEMBER, MEMBERS = "nobody", "member", "members"
FOLLOWERS = 16
"""Of an author whose followers are few."""
AIMS = {
    (LIST, NOBODY): 0.6,
    (LIST, MEMBER): 0.45,
    ("topic detail", NOBODY): 0.55,
    ("topic detail", MEMBER): 0.45,
    ("20 replies", NOBODY): 0.5,
    ("20 replies", MEMBER): 0.45,
    ("notifications", MEMBER): 0.2,
    ("create reply", MEMBER): 0.06,
    ("create reply", MEMBERS): 0.06,
    ("create plain reply", MEMBERS): 0.09,
    ("create topic", MEMBER): 0.03,
    (f"create topic, {FOLLOWERS} followers", MEMBER): 0.06,
    ("page of the topic list", NOBODY): 0.35,
    ("page of a topic", NOBODY): 0.35,
    (f"{LIST}, made anew", NOBODY): 0.3,
    ("page of the topic list, made anew", NOBODY): 0.1,
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
    return [
        Endpoint(f"{LIST}, made anew", NOBODY, [get(f"{API}/topics")]),
        Endpoint("page of the topic list, made anew", NOBODY, [get("/topics")]),
    ]


def endpoints(server: Server, members: Members) -> list[Endpoint]:
    """Return the endpoints to measure on a filled forum."""
    # Like most members, the measured one blocks nobody: one who does has lists of their own.
    for user in ask_json(server.port, get(f"{API}/users/me/blocked?limit=150", members.token)):
        ask_json(server.port, send("POST", f"{API}/users/{user['id']}/unblock", members.token))
    topics = open_topics(server, members.token)
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
    own = {
        "hello": [f"{API}/hello"],
        "notifications": [f"{API}/notifications"],
        "unread count": [f"{API}/notifications/unread_count"],
    }
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
    by_one = [reply(members, 0, topic) for topic in topics]
    by_many = [reply(members, at % len(members.tokens), it) for at, it in enumerate(topics)]
    plain = [
        reply(members, at % len(members.tokens), it, PLAIN_TEXT) for at, it in enumerate(topics)
    ]
    node = ask_json(server.port, get(f"{API}/nodes"))[0]["id"]
    body = TEXT.format(mentioned=members.logins[-1])
    topic = {"title": "Timeouts after the upgrade", "node_id": node, "body": body}
    few = send("POST", f"{API}/topics", _author_with_few_followers(server, members), topic)
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
        Endpoint(f"create topic, {FOLLOWERS} followers", MEMBER, [few]),
        Endpoint("create reply", MEMBER, by_one),
        Endpoint("create reply", MEMBERS, by_many),
        Endpoint("create plain reply", MEMBERS, plain),
        *(Endpoint(name, MEMBER, [*do, *undo]) for name, (do, undo) in pairs.items()),
        Endpoint("password grant", "client", [form("/oauth/token", members.login)]),
    ]


def _likes(method: str, token: str, topics: list[int]) -> list[Request]:
    what = [{"obj_type": "topic", "obj_id": topic} for topic in topics]
    return [send(method, f"{API}/likes", token, liked) for liked in what]


def _author_with_few_followers(server: Server, members: Members) -> str:
    """Return the token of a member who has FOLLOWERS, made by following them if need be.

    In a small community it may be the member with the fewest.
    """
    users = (ask_json(server.port, get(f"{API}/users/{login}")) for login in members.logins)
    counts = [user["followers_count"] for user in users]
    few = [count for count in counts if count <= FOLLOWERS]
    author = counts.index(max(few, default=min(counts)))
    login = members.logins[author]
    for token in members.tokens[:author] + members.tokens[author + 1 :]:
        if ask_json(server.port, get(f"{API}/users/{login}"))["followers_count"] >= FOLLOWERS:
            break
        ask(server.port, send("POST", f"{API}/users/{login}/follow", token))
    return members.tokens[author]


def reply(members: Members, author: int, topic: int, text: str = TEXT) -> Request:
    """Return a reply; where the text mentions somebody, it is the member after its author."""
    mentioned = members.logins[(author + 1) % len(members.logins)]
    body = {"body": text.format(mentioned=mentioned)}
    return send("POST", f"{API}/topics/{topic}/replies", members.tokens[author], body)


def open_topics(server: Server, token: str) -> list[int]:
    """Return the topics with the latest activity to which every user may reply."""
    listed = ask_json(server.port, get(f"{API}/topics?limit={TOPIC_COUNT}"))
    topics = (ask_json(server.port, get(f"{API}/topics/{topic['id']}", token)) for topic in listed)
    # Moderators may reply to closed topics, too.
    return [it["id"] for it in topics if it["abilities"]["reply"] and not it["closed_at"]]
