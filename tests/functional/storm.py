"""Users who send random requests at the same time."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from forumsvc.models.states import ACTION_TYPES
from tests.functional.forum import Forum, Person
from tests.functional.threads import alone

LOGINS = ["ann", "ben", "cat", "dan"]
BODIES = ["Hello", "@ann @ben", "@dan @cat @ann @ben", "@ben @mod"]
ACTIONS = [*ACTION_TYPES, "open"]
STEPS = 30


@dataclass
class Storm:
    """A user who sends random requests to a few topics.

    nodes, topics, replies: ids, shared with the others.
    """

    forum: Forum
    person: Person
    seed: int
    nodes: list[int]
    topics: list[int]
    replies: list[int]

    def __post_init__(self) -> None:
        """Seed the choices; the order of the threads is not determined."""
        self.caller = alone(self.forum, self.person)
        self.choices = random.Random(self.seed)  # noqa: S311

    def doings(self) -> list[Callable[[], Any]]:
        """Return the kinds of requests to choose from."""
        return [
            *(self.open_topic, self.edit_topic, self.reply, self.reply, self.edit_reply),
            *(self.delete, self.act, self.like, self.relate, self.relate_to_user, self.tidy),
        ]

    def run(self) -> list[Any]:
        """Send a number of requests and return the responses."""
        doings, answers = self.doings(), []
        for _ in range(STEPS):
            answers.append(self.one(doings)())
            answers.append(self.caller.get(f"/topics/{self.one(self.topics)}"))
            self.forum.registry.view_counter.flush()
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

    def delete_topic(self) -> Any:
        """DELETE /topics/:id."""
        return self.caller.delete(f"/topics/{self.one(self.topics)}")

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

    def report(self) -> Any:
        """POST /reports."""
        kind = self.one(["topic", "reply"])
        obj_id = self.one(self.topics if kind == "topic" else self.replies)
        return self.caller.post("/reports", obj_type=kind, obj_id=obj_id, category="spam")

    def resolve(self) -> Any:
        """POST /reviews/:id/resolve, as whoever may; others are refused the list."""
        listed = self.caller.get("/reviews")
        if listed.status_int != 200 or not listed.json:
            return listed
        decision = self.one(["approve", "hide", "delete", "dismiss"])
        review = self.one(listed.json)["id"]
        return self.caller.post(f"/reviews/{review}/resolve", decision=decision, reason="x")

    def tidy(self) -> Any:
        """Read some notifications, delete one or all."""
        ids = [one["id"] for one in self.caller.get("/notifications").json]
        match self.one(["read", "delete", "all"]):
            case "read":
                return self.caller.call("POST", "/notifications/read", json={"ids": ids[:3]})
            case "delete" if ids:
                return self.caller.delete(f"/notifications/{ids[-1]}")
        return self.caller.delete("/notifications/all")
