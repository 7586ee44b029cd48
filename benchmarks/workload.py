"""A realistic workload: the requests of many members and anonymous readers, one after another."""

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
MAX_REMEMBERED = 2_000
"""How many of the newest topics and replies are requested."""

OnResponse = Callable[[Any, dict[str, str]], None]


@dataclass(frozen=True)
class Step:
    """A request, and how to handle its response.

    writes: whether it changes something; expected: its statuses; on_response: gets the response's
    JSON and headers.
    """

    request: Request
    writes: bool = False
    expected: tuple[int, ...] = (200,)
    on_response: OnResponse | None = None


class Workload:
    """Chooses the steps. They request only what exists: nothing is deleted that others read."""

    def __init__(self, community: Community, seed: int) -> None:
        self._rng = random.Random(seed)  # noqa: S311 - no secret is made of it
        self._community = community
        self._tokens = community.access_tokens(community.ids)
        self._topics = deque(community.open_topics(MAX_REMEMBERED // 4), maxlen=MAX_REMEMBERED)
        self._nodes = community.nodes()
        self._replies: deque[int] = deque(maxlen=MAX_REMEMBERED)
        self._own_topics: deque[tuple[int, int]] = deque(maxlen=MAX_REMEMBERED)
        self._own_replies: deque[tuple[int, int]] = deque(maxlen=MAX_REMEMBERED)
        self._to_delete: deque[tuple[int, int, str]] = deque(maxlen=MAX_REMEMBERED)
        self._unread: dict[int, list[int]] = {}
        self._tags: dict[str, str] = {}
        self._refresh_forms: list[dict[str, str]] = []
        steps: dict[Callable[[], Step], float] = {
            self._topic_list: 24,
            self._topic_list_again: 6,
            self._topic: 22,
            self._reply_list: 18,
            self._user: 6,
            self._node_list: 2,
            self._notifications: 3,
            self._unread_count: 3,
            self._reply: 6,
            self._create_topic: 1,
            self._like: 3,
            self._follow_or_favorite: 2,
            self._edit_reply: 0.8,
            self._edit_topic: 0.4,
            self._delete_reply: 0.5,
            self._delete_topic: 0.2,
            self._mark_read: 1,
            self._delete_notifications: 0.1,
            self._refresh_token: 0.5,
        }
        self._steps, self._weights = list(steps), list(steps.values())

    def next(self) -> Step:
        """Return the next step."""
        return self._rng.choices(self._steps, self._weights)[0]()

    def _member(self) -> int:
        return self._rng.randrange(len(self._tokens))

    def _token_or_none(self) -> str | None:
        """Return a member's token, or None for an anonymous reader."""
        return self._tokens[self._member()] if self._rng.random() < 0.4 else None

    def _topic_list(self) -> Step:
        query = self._rng.choice(
            [
                *("", "", "", "", "?type=recent", "?type=popular", "?type=no_reply"),
                "?type=excellent",
                f"?node_id={self._rng.choice(self._nodes)}",
                f"?offset={20 * self._rng.randrange(50)}",
            ]
        )
        return Step(get(f"{API}/topics{query}", self._token_or_none()))

    def _topic_list_again(self) -> Step:
        path = f"{API}/topics?limit=30"
        tag = self._tags.get(path)

        def on_response(answer: Any, headers: dict[str, str]) -> None:
            if "etag" in headers:
                self._tags[path] = headers["etag"]

        return Step(
            get(path, headers={"If-None-Match": tag} if tag else None),
            expected=(200, 304),
            on_response=on_response,
        )

    def _topic(self) -> Step:
        return Step(get(f"{API}/topics/{self._rng.choice(self._topics)}", self._token_or_none()))

    def _reply_list(self) -> Step:
        offset = self._rng.choice([0, 0, 0, 20, 40])
        topic = self._rng.choice(self._topics)
        return Step(get(f"{API}/topics/{topic}/replies?offset={offset}", self._token_or_none()))

    def _user(self) -> Step:
        login = self._rng.choice(self._community.logins)
        part = self._rng.choice(["", "", "/topics", "/replies", "/favorites", "/followers"])
        return Step(get(f"{API}/users/{login}{part}", self._token_or_none()))

    def _node_list(self) -> Step:
        return Step(get(f"{API}/nodes", self._token_or_none()))

    def _notifications(self) -> Step:
        who = self._member()

        def on_response(answer: Any, headers: dict[str, str]) -> None:
            self._unread[who] = [
                notification["id"] for notification in answer if not notification["read"]
            ]

        return Step(get(f"{API}/notifications", self._tokens[who]), on_response=on_response)

    def _unread_count(self) -> Step:
        return Step(get(f"{API}/notifications/unread_count", self._tokens[self._member()]))

    def _reply(self) -> Step:
        who, topic = self._member(), self._rng.choice(self._topics)

        def on_response(answer: Any, headers: dict[str, str]) -> None:
            # Some are there to be edited and deleted by their authors, the others to be liked.
            if self._rng.random() < 0.3:
                self._own_replies.append((who, answer["id"]))
            else:
                self._replies.append(answer["id"])

        return self._write(
            who, "POST", f"/topics/{topic}/replies", {"body": self._text()}, on_response
        )

    def _create_topic(self) -> Step:
        who = self._member()
        content = {"title": "Timeouts", "node_id": self._rng.choice(self._nodes)}

        def on_response(answer: Any, headers: dict[str, str]) -> None:
            if self._rng.random() < 0.4:
                self._to_delete.append((who, answer["id"], "ban"))
            else:
                self._topics.append(answer["id"])
                self._own_topics.append((who, answer["id"]))

        return self._write(who, "POST", "/topics", {**content, "body": self._text()}, on_response)

    def _like(self) -> Step:
        method = self._rng.choice(["POST", "POST", "DELETE"])
        what = {"obj_type": "topic", "obj_id": self._rng.choice(self._topics)}
        if self._replies and self._rng.random() < 0.5:
            what = {"obj_type": "reply", "obj_id": self._rng.choice(self._replies)}
        return self._write(self._member(), method, "/likes", what)

    def _follow_or_favorite(self) -> Step:
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

    def _edit_reply(self) -> Step:
        if not self._own_replies:
            return self._reply()
        who, reply = self._own_replies.popleft()
        back: OnResponse = lambda answer, headers: self._own_replies.append((who, reply))  # noqa: E731
        return self._write(who, "POST", f"/replies/{reply}", {"body": self._text()}, back)

    def _edit_topic(self) -> Step:
        if not self._own_topics:
            return self._create_topic()
        who, topic = self._own_topics.popleft()
        content = {"title": "Timeouts, solved", "node_id": self._rng.choice(self._nodes)}
        back: OnResponse = lambda answer, headers: self._own_topics.append((who, topic))  # noqa: E731
        return self._write(who, "POST", f"/topics/{topic}", {**content, "body": self._text()}, back)

    def _delete_reply(self) -> Step:
        if not self._own_replies:
            return self._reply()
        who, reply = self._own_replies.popleft()
        return self._write(who, "DELETE", f"/replies/{reply}")

    def _delete_topic(self) -> Step:
        """Delete a topic, or ban and unban it before, that no other step uses."""
        if not self._to_delete:
            return self._create_topic()
        who, topic, verb = self._to_delete.popleft()
        if verb == "delete":
            return self._write(who, "DELETE", f"/topics/{topic}")
        then = {"ban": "unban", "unban": "delete"}[verb]
        path = f"/topics/{topic}/action?type={verb}"
        again: OnResponse = lambda answer, headers: self._to_delete.append((who, topic, then))  # noqa: E731
        request = send("POST", f"{API}{path}", self._community.admin_token)
        return Step(request, True, (200, 201), again)

    def _mark_read(self) -> Step:
        if not self._unread:
            return self._notifications()
        who, ids = self._unread.popitem()
        if not ids:
            return self._notifications()
        content = {"ids": ",".join(map(str, ids))}
        # What the notification is about may have been deleted meanwhile, and the notification, too.
        request = send("POST", f"{API}/notifications/read", self._tokens[who], content)
        return Step(request, True, (200, 201, 404))

    def _delete_notifications(self) -> Step:
        return self._write(self._member(), "DELETE", "/notifications/all")

    def _refresh_token(self) -> Step:
        if not self._refresh_forms:
            self._refresh_forms = self._community.refresh_grants(100)
        return Step(form("/oauth/token", self._refresh_forms.pop()), True)

    def _write(
        self,
        who: int,
        method: str,
        path: str,
        content: dict[str, Any] | None = None,
        on_response: OnResponse | None = None,
    ) -> Step:
        request = send(method, f"{API}{path}", self._tokens[who], content)
        return Step(request, True, (200, 201), on_response)

    def _text(self) -> str:
        login = self._rng.choice(self._community.logins)
        return TEXT.format(login=login, number=self._rng.randrange(10**6))


def handle_response(step: Step, status: int, head: bytes, body: bytes) -> bool:
    """Handle a response to a step; return whether its status was expected."""
    if status not in step.expected:
        return False
    if step.on_response is not None and status in (200, 201, 304):
        lines = head.decode("latin-1").split("\r\n")[1:]
        pairs = (line.partition(":") for line in lines)
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        step.on_response(json.loads(body) if body else None, headers)
    return True
