"""Random concurrent requests: none fails, none deadlocks, every counter is right."""

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.functional.forum import Caller, Forum
from tests.functional.recounting import drift
from tests.functional.threads import alone, flat, statuses, together

pytestmark = pytest.mark.both_databases

LOGINS = ["ann", "ben", "cat", "dan"]
BODIES = ["Hello", "@ann @ben", "@dan @cat @ann @ben", "@ben @mod"]
ACTIONS = ["ban", "unban", "unban", "excellent", "unexcellent", "close", "open", "open"]
STEPS = 30


class Storm:
    """A user who sends random requests; the ids are shared with the others."""

    def __init__(
        self, caller: Caller, seed: int, nodes: list[int], topics: list[int], replies: list[int]
    ) -> None:
        """seed: of the choices; the order of the threads is not determined."""
        self.caller = caller
        self.choices = random.Random(seed)  # noqa: S311
        self.nodes, self.topics, self.replies = nodes, topics, replies

    def run(self, write_hits: Callable[[], None]) -> list[Any]:
        """Send a number of requests and return the responses."""
        doings = [
            self.open_topic,
            self.edit_topic,
            self.reply,
            self.reply,
            self.edit_reply,
            self.delete,
            self.act,
            self.like,
            self.relate,
            self.relate_to_user,
            self.tidy,
        ]
        answers = []
        for _ in range(STEPS):
            answers.append(self.choices.choice(doings)())
            answers.append(self.caller.get(f"/topics/{self.one(self.topics)}"))
            write_hits()
        return answers

    def one(self, among: list[Any]) -> Any:
        """Choose at random."""
        return self.choices.choice(among)

    def _text(self) -> dict[str, Any]:
        title = f"T{self.choices.random()}"
        return {"title": title, "node_id": self.one(self.nodes), "body": self.one(BODIES)}

    def open_topic(self) -> Any:
        """POST /topics."""
        return self.caller.post("/topics", **self._text())

    def edit_topic(self) -> Any:
        """PUT /topics/:id, to any node."""
        return self.caller.put(f"/topics/{self.one(self.topics)}", **self._text())

    def reply(self) -> Any:
        """POST /topics/:id/replies."""
        made = self.caller.post(f"/topics/{self.one(self.topics)}/replies", body=self.one(BODIES))
        if made.status_int == 201:
            self.replies.append(made.json["id"])
        return made

    def edit_reply(self) -> Any:
        """POST /replies/:id."""
        return self.caller.post(f"/replies/{self.one(self.replies)}", body=self.one(BODIES))

    def delete(self) -> Any:
        """DELETE a reply."""
        return self.caller.delete(f"/replies/{self.one(self.replies)}")

    def act(self) -> Any:
        """POST /topics/:id/action."""
        path = f"/topics/{self.one(self.topics)}/action?type={self.one(ACTIONS)}"
        return self.caller.post(path)

    def like(self) -> Any:
        """POST or DELETE /likes."""
        kind = self.one(["topic", "reply"])
        liked = self.one(self.topics if kind == "topic" else self.replies)
        method = self.one(["POST", "DELETE"])
        return self.caller.call(method, "/likes", {"obj_type": kind, "obj_id": liked})

    def relate(self) -> Any:
        """Add or remove a follow or favorite of a topic."""
        what = self.one(["favorite", "unfavorite", "follow", "unfollow"])
        return self.caller.post(f"/topics/{self.one(self.topics)}/{what}")

    def relate_to_user(self) -> Any:
        """Add or remove a follow or block of a user."""
        what = self.one(["follow", "unfollow", "block", "unblock"])
        return self.caller.post(f"/users/{self.one(LOGINS)}/{what}")

    def tidy(self) -> Any:
        """Read some notifications, delete one or all."""
        ids = [one["id"] for one in self.caller.get("/notifications").json]
        match self.one(["read", "delete", "all"]):
            case "read":
                return self.caller.call("POST", "/notifications/read", json={"ids": ids[:3]})
            case "delete" if ids:
                return self.caller.delete(f"/notifications/{ids[-1]}")
        return self.caller.delete("/notifications/all")


def test_a_storm_of_everything_fails_nobody_and_leaves_every_counter_right(
    forum: Forum, caplog: pytest.LogCaptureFixture
) -> None:
    people = [forum.person(login) for login in LOGINS]
    people.append(forum.person("mod", role="maintainer"))
    nodes = [forum.node("One"), forum.node("Two")]
    topics = [forum.topic(person, nodes[0]) for person in people]
    replies = [forum.reply(people[0], topics[0])]
    storms = [
        Storm(alone(forum, person), seed, nodes, topics, replies)
        for seed, person in enumerate(people * 2)
    ]
    answers = together([partial(storm.run, forum.registry.view_counter.flush) for storm in storms])
    seen = statuses(flat(answers))
    assert set(seen) <= {200, 201, 403, 404}, caplog.text
    assert seen[200] > seen[201] > 0
    assert "deadlock" not in caplog.text
    assert drift(forum.database) == []
