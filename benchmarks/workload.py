"""A community's day: what many members, and strangers, ask for, one request after the other."""

import json
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.community import Community
from benchmarks.request import Request, form, get, send

API = "/api/v3"
TEXT = (
    "Thanks @{login}, that was **it**.\n\n- see `timeout`\n- and <https://example.org/{number}>\n"
)
MEMBERS = 200
REMEMBERED = 2_000
"""Of the topics and replies, so many of the newest are asked for."""

Learn = Callable[[Any, dict[str, str]], None]


@dataclass(frozen=True)
class Deed:
    """A request, and what to make of its answer.

    writes: whether it changes something; expected: its statuses; learn: gets the answer's JSON and
    headers.
    """

    request: Request
    writes: bool = False
    expected: tuple[int, ...] = (200,)
    learn: Learn | None = None


class Day:
    """Draws what is done next. What it asks for is there: nobody deletes what others read."""

    def __init__(self, community: Community, seed: int) -> None:
        self._rng = random.Random(seed)  # noqa: S311 - no secret is made of it
        self._community = community
        self._tokens = community.access_tokens(community.ids)
        self._topics = deque(community.open_topics(REMEMBERED // 4), maxlen=REMEMBERED)
        self._nodes = community.nodes()
        self._replies: deque[int] = deque(maxlen=REMEMBERED)
        self._own_topics: deque[tuple[int, int]] = deque(maxlen=REMEMBERED)
        self._own_replies: deque[tuple[int, int]] = deque(maxlen=REMEMBERED)
        self._doomed: deque[tuple[int, int, str]] = deque(maxlen=REMEMBERED)
        self._unread: dict[int, list[int]] = {}
        self._tags: dict[str, str] = {}
        self._refresh: list[dict[str, str]] = []
        deeds: dict[Callable[[], Deed], float] = {
            self._list: 24,
            self._list_again: 6,
            self._topic: 22,
            self._page_of_replies: 18,
            self._user: 6,
            self._node_list: 2,
            self._notifications: 3,
            self._unread_count: 3,
            self._reply: 6,
            self._open_topic: 1,
            self._like: 3,
            self._relate: 2,
            self._edit_reply: 0.8,
            self._edit_topic: 0.4,
            self._delete_reply: 0.5,
            self._delete_topic: 0.2,
            self._mark_read: 1,
            self._delete_notifications: 0.1,
            self._log_in_again: 0.5,
        }
        self._deeds, self._weights = list(deeds), list(deeds.values())

    def next(self) -> Deed:
        """Return what is done next."""
        return self._rng.choices(self._deeds, self._weights)[0]()

    def _member(self) -> int:
        return self._rng.randrange(len(self._tokens))

    def _somebody(self) -> str | None:
        """Return a member's token, or none for a stranger."""
        return self._tokens[self._member()] if self._rng.random() < 0.4 else None

    def _list(self) -> Deed:
        query = self._rng.choice(
            [
                *("", "", "", "", "?type=recent", "?type=popular", "?type=no_reply"),
                "?type=excellent",
                f"?node_id={self._rng.choice(self._nodes)}",
                f"?offset={20 * self._rng.randrange(50)}",
            ]
        )
        return Deed(get(f"{API}/topics{query}", self._somebody()))

    def _list_again(self) -> Deed:
        path = f"{API}/topics?limit=30"
        tag = self._tags.get(path)

        def learn(answer: Any, headers: dict[str, str]) -> None:
            if "etag" in headers:
                self._tags[path] = headers["etag"]

        return Deed(
            get(path, headers={"If-None-Match": tag} if tag else None),
            expected=(200, 304),
            learn=learn,
        )

    def _topic(self) -> Deed:
        return Deed(get(f"{API}/topics/{self._rng.choice(self._topics)}", self._somebody()))

    def _page_of_replies(self) -> Deed:
        offset = self._rng.choice([0, 0, 0, 20, 40])
        topic = self._rng.choice(self._topics)
        return Deed(get(f"{API}/topics/{topic}/replies?offset={offset}", self._somebody()))

    def _user(self) -> Deed:
        login = self._rng.choice(self._community.logins)
        part = self._rng.choice(["", "", "/topics", "/replies", "/favorites", "/followers"])
        return Deed(get(f"{API}/users/{login}{part}", self._somebody()))

    def _node_list(self) -> Deed:
        return Deed(get(f"{API}/nodes", self._somebody()))

    def _notifications(self) -> Deed:
        who = self._member()

        def learn(answer: Any, headers: dict[str, str]) -> None:
            self._unread[who] = [told["id"] for told in answer if not told["read"]]

        return Deed(get(f"{API}/notifications", self._tokens[who]), learn=learn)

    def _unread_count(self) -> Deed:
        return Deed(get(f"{API}/notifications/unread_count", self._tokens[self._member()]))

    def _reply(self) -> Deed:
        who, topic = self._member(), self._rng.choice(self._topics)

        def learn(answer: Any, headers: dict[str, str]) -> None:
            # Some are there to be edited and deleted by their authors, the others to be liked.
            if self._rng.random() < 0.3:
                self._own_replies.append((who, answer["id"]))
            else:
                self._replies.append(answer["id"])

        return self._write(who, "POST", f"/topics/{topic}/replies", {"body": self._text()}, learn)

    def _open_topic(self) -> Deed:
        who = self._member()
        content = {"title": "Timeouts", "node_id": self._rng.choice(self._nodes)}

        def learn(answer: Any, headers: dict[str, str]) -> None:
            if self._rng.random() < 0.4:
                self._doomed.append((who, answer["id"], "ban"))
            else:
                self._topics.append(answer["id"])
                self._own_topics.append((who, answer["id"]))

        return self._write(who, "POST", "/topics", {**content, "body": self._text()}, learn)

    def _like(self) -> Deed:
        method = self._rng.choice(["POST", "POST", "DELETE"])
        what = {"obj_type": "topic", "obj_id": self._rng.choice(self._topics)}
        if self._replies and self._rng.random() < 0.5:
            what = {"obj_type": "reply", "obj_id": self._rng.choice(self._replies)}
        return self._write(self._member(), method, "/likes", what)

    def _relate(self) -> Deed:
        who, whom = self._rng.sample(range(len(self._tokens)), 2)
        topic, user = self._rng.choice(self._topics), self._community.logins[whom]
        path = self._rng.choice(
            [
                *(f"/topics/{topic}/{verb}" for verb in ("follow", "unfollow")),
                *(f"/topics/{topic}/{verb}" for verb in ("favorite", "unfavorite")),
                *(f"/users/{user}/{verb}" for verb in ("follow", "unfollow")),
            ]
        )
        return self._write(who, "POST", path)

    def _edit_reply(self) -> Deed:
        if not self._own_replies:
            return self._reply()
        who, reply = self._own_replies.popleft()
        back: Learn = lambda answer, headers: self._own_replies.append((who, reply))  # noqa: E731
        return self._write(who, "POST", f"/replies/{reply}", {"body": self._text()}, back)

    def _edit_topic(self) -> Deed:
        if not self._own_topics:
            return self._open_topic()
        who, topic = self._own_topics.popleft()
        content = {"title": "Timeouts, solved", "node_id": self._rng.choice(self._nodes)}
        back: Learn = lambda answer, headers: self._own_topics.append((who, topic))  # noqa: E731
        return self._write(who, "POST", f"/topics/{topic}", {**content, "body": self._text()}, back)

    def _delete_reply(self) -> Deed:
        if not self._own_replies:
            return self._reply()
        who, reply = self._own_replies.popleft()
        return self._write(who, "DELETE", f"/replies/{reply}")

    def _delete_topic(self) -> Deed:
        """Delete, or hide and show before, a topic that nobody else was told of."""
        if not self._doomed:
            return self._open_topic()
        who, topic, verb = self._doomed.popleft()
        if verb == "delete":
            return self._write(who, "DELETE", f"/topics/{topic}")
        then = {"ban": "unban", "unban": "delete"}[verb]
        path = f"/topics/{topic}/action?type={verb}"
        again: Learn = lambda answer, headers: self._doomed.append((who, topic, then))  # noqa: E731
        request = send("POST", f"{API}{path}", self._community.admin_token)
        return Deed(request, True, (200, 201), again)

    def _mark_read(self) -> Deed:
        if not self._unread:
            return self._notifications()
        who, ids = self._unread.popitem()
        if not ids:
            return self._notifications()
        content = {"ids": ",".join(map(str, ids))}
        # What was told of may have been deleted meanwhile, and the notification with it.
        request = send("POST", f"{API}/notifications/read", self._tokens[who], content)
        return Deed(request, True, (200, 201, 404))

    def _delete_notifications(self) -> Deed:
        return self._write(self._member(), "DELETE", "/notifications/all")

    def _log_in_again(self) -> Deed:
        if not self._refresh:
            self._refresh = self._community.refresh_grants(100)
        return Deed(form("/oauth/token", self._refresh.pop()), True)

    def _write(
        self,
        who: int,
        method: str,
        path: str,
        content: dict[str, Any] | None = None,
        learn: Learn | None = None,
    ) -> Deed:
        request = send(method, f"{API}{path}", self._tokens[who], content)
        return Deed(request, True, (200, 201), learn)

    def _text(self) -> str:
        login = self._rng.choice(self._community.logins)
        return TEXT.format(login=login, number=self._rng.randrange(10**6))


def answered(deed: Deed, status: int, head: bytes, body: bytes) -> bool:
    """Take an answer to a deed; return whether it was one of those expected."""
    if status not in deed.expected:
        return False
    if deed.learn is not None and status in (200, 201, 304):
        lines = head.decode("latin-1").split("\r\n")[1:]
        pairs = (line.partition(":") for line in lines)
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        deed.learn(json.loads(body) if body else None, headers)
    return True
