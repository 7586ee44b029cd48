"""A demo community in a database, and the requests that are measured on it."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.request import Request, get, send
from benchmarks.servers import ROOT, Server, environment

API = "/api/v3"
SPREAD = 100
"""How many different topics, closed ones left out, the requests of one endpoint go round."""
TEXT = """Thanks @{mentioned}, that was it. For the next one who looks for this:

1. set the `timeout` to something above **30 s**
2. restart, then check with

```python
for attempt in range(3):
    print(client.get("/status", timeout=45))
```

See also <https://example.org/notes?page=2>.
"""


@dataclass(frozen=True)
class Size:
    """How large a community is."""

    users: int
    topics: int
    replies: int


@dataclass(frozen=True)
class Endpoint:
    """What is measured.

    name, caller: as the table says them; requests: to be made in this order, over and over;
    aim: the least rate as a part of the empty view's, None where none is set.
    """

    name: str
    caller: str
    requests: Sequence[Request]
    aim: float | None = None


def fill(ini: Path, size: Size) -> None:
    """Create the tables in an empty database and a community in them, the same each time."""
    _forumsvc(ini, "db", "upgrade")
    counts = {"users": size.users, "topics": size.topics, "replies": size.replies, "seed": 1}
    _forumsvc(ini, "demo", *(word for key, n in counts.items() for word in (f"--{key}", str(n))))


def endpoints(server: Server) -> list[Endpoint]:
    """Return what to measure on a forum that is filled, with a token of its busiest user."""
    member, mentioned = (user["login"] for user in server.ask(get(f"{API}/users?limit=2")))
    token = _forumsvc(server.ini, "token", "issue", member)["access_token"]
    listed = [topic["id"] for topic in server.ask(get(f"{API}/topics?limit={SPREAD}"))]
    topics = [topic for topic in listed if _open_to(server, topic, token)]
    reply = {"body": TEXT.format(mentioned=mentioned)}
    likes = [
        send(method, f"{API}/likes", token, {"obj_type": "topic", "obj_id": topic})
        for method in ("POST", "DELETE")
        for topic in topics
    ]
    # Whatever the demo's member likes already: each request of the round is to change something.
    for request in likes[len(topics) :]:
        server.ask(request)
    paths = {
        "topic list": ([f"{API}/topics"], 0.13),
        "topic detail": ([f"{API}/topics/{topic}" for topic in topics], 0.15),
        "20 replies": ([f"{API}/topics/{topic}/replies" for topic in topics], 0.12),
        "node list": ([f"{API}/nodes"], None),
    }
    readings = [
        Endpoint(name, caller, [get(path, whose) for path in those], aim if whose is None else None)
        for name, (those, aim) in paths.items()
        for caller, whose in (("nobody", None), ("member", token))
    ]
    writings = [
        Endpoint(
            "create reply",
            "member",
            [send("POST", f"{API}/topics/{topic}/replies", token, reply) for topic in topics],
            0.02,
        ),
        Endpoint("like, unlike", "member", likes),
    ]
    return [*readings, *writings]


def _open_to(server: Server, topic: int, token: str) -> bool:
    """Tell whether a token's user may reply to a topic."""
    return bool(server.ask(get(f"{API}/topics/{topic}", token))["abilities"]["reply"])


def _forumsvc(ini: Path, *words: str) -> Any:
    """Run the command `forumsvc` and return what it prints as JSON."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from forumsvc.cli import main; main()",
            "-c",
            ini,
            *words,
            "--json",
        ],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return json.loads(done.stdout)
