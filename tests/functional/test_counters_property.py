"""After any sequence of requests, every counter equals its recount."""

from functools import partial
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from forumsvc.queries import recount
from tests import databases
from tests.functional.forum import Forum
from tests.functional.recounting import drift

pytestmark = pytest.mark.both_databases

ACTIONS = ["ban", "unban", "normal", "excellent", "unexcellent", "close", "open"]
BODIES = ["Hello", "@ann @ben", "@cat @mod, `@ann`", "Good bye @ben"]
FEW = st.integers(0, 3)
ALLOWED = {200, 201, 403, 404}


class Community(RuleBasedStateMachine):
    """Three members and a maintainer who change a few topics and replies at random."""

    def __init__(self, forum: Forum) -> None:
        """Begin in an empty forum."""
        super().__init__()
        self.forum = forum
        self.topics: list[int] = []
        self.replies: list[int] = []

    @initialize()
    def gather(self) -> None:
        """Create the users and two nodes."""
        databases.delete_all_rows(self.forum.database)
        self.people = [self.forum.person(login) for login in ("ann", "ben", "cat")]
        self.people.append(self.forum.person("mod", role="maintainer"))
        self.nodes = [self.forum.node("One"), self.forum.node("Two")]
        self.topics = [self.forum.topic(person, self.nodes[0]) for person in self.people[:2]]
        self.replies = [self.forum.reply(self.people[1], self.topics[0])]

    def send(self, who: int, method: str, path: str, **params: Any) -> Any:
        """Send a request as a user; a refusal is fine, a server error fails."""
        answer = self.people[who].call(method, path, params)
        assert answer.status_int in ALLOWED, (method, path, answer.text)
        return answer

    def topic(self, n: int) -> int:
        """Return one of the latest topics."""
        return self.topics[-1 - n % len(self.topics)]

    def reply(self, n: int) -> int:
        """Return one of the latest replies."""
        return self.replies[-1 - n % len(self.replies)]

    @rule(who=FEW, node=FEW, body=st.sampled_from(BODIES))
    def open_a_topic(self, who: int, node: int, body: str) -> None:
        """POST /topics."""
        made = self.send(who, "POST", "/topics", title="T", node_id=self.nodes[node % 2], body=body)
        self.topics.append(made.json["id"])

    @rule(who=FEW, n=FEW, node=FEW, body=st.sampled_from(BODIES))
    def edit_a_topic(self, who: int, n: int, node: int, body: str) -> None:
        """PUT /topics/:id."""
        moved = self.nodes[node % 2]
        self.send(who, "PUT", f"/topics/{self.topic(n)}", title="N", node_id=moved, body=body)

    @rule(who=FEW, n=FEW, body=st.sampled_from(BODIES))
    def write_a_reply(self, who: int, n: int, body: str) -> None:
        """POST /topics/:id/replies."""
        made = self.send(who, "POST", f"/topics/{self.topic(n)}/replies", body=body)
        if made.status_int == 201:
            self.replies.append(made.json["id"])

    @rule(who=FEW, n=FEW, body=st.sampled_from(BODIES))
    def edit_a_reply(self, who: int, n: int, body: str) -> None:
        """POST /replies/:id."""
        self.send(who, "POST", f"/replies/{self.reply(n)}", body=body)

    @rule(who=FEW, n=FEW)
    def delete_a_topic(self, who: int, n: int) -> None:
        """DELETE /topics/:id."""
        self.send(who, "DELETE", f"/topics/{self.topic(n)}")

    @rule(who=FEW, n=FEW)
    def delete_a_reply(self, who: int, n: int) -> None:
        """DELETE /replies/:id."""
        self.send(who, "DELETE", f"/replies/{self.reply(n)}")

    @rule(who=st.sampled_from([0, 3, 3, 3]), n=FEW, kind=st.sampled_from(ACTIONS))
    def act(self, who: int, n: int, kind: str) -> None:
        """POST /topics/:id/action."""
        self.send(who, "POST", f"/topics/{self.topic(n)}/action?type={kind}")

    @rule(who=FEW, n=FEW, method=st.sampled_from(["POST", "DELETE"]), kind=st.booleans())
    def like(self, who: int, n: int, method: str, kind: bool) -> None:
        """POST or DELETE /likes."""
        liked = ("topic", self.topic(n)) if kind else ("reply", self.reply(n))
        self.send(who, method, "/likes", obj_type=liked[0], obj_id=liked[1])

    @rule(
        who=FEW,
        n=FEW,
        what=st.sampled_from(["favorite", "unfavorite", "follow", "unfollow"]),
    )
    def relate_to_a_topic(self, who: int, n: int, what: str) -> None:
        """POST /topics/:id/favorite and the like."""
        self.send(who, "POST", f"/topics/{self.topic(n)}/{what}")

    @rule(who=FEW, n=FEW, what=st.sampled_from(["follow", "unfollow", "block", "unblock"]))
    def relate_to_a_user(self, who: int, n: int, what: str) -> None:
        """POST /users/:id/follow and the like."""
        self.send(who, "POST", f"/users/{self.people[n].id}/{what}")

    def notification_ids(self, who: int) -> list[int]:
        """Return the ids of somebody's notifications."""
        return [one["id"] for one in self.people[who].get("/notifications").json]

    @rule(who=FEW, n=FEW)
    def mark_read(self, who: int, n: int) -> None:
        """POST /notifications/read."""
        ids = self.notification_ids(who)[: n + 1]
        answer = self.people[who].call("POST", "/notifications/read", json={"ids": ids})
        assert answer.status_int == 200

    @rule(who=FEW, n=FEW)
    def delete_a_notification(self, who: int, n: int) -> None:
        """DELETE /notifications/:id."""
        for one in self.notification_ids(who)[n : n + 1]:
            self.send(who, "DELETE", f"/notifications/{one}")

    @rule(who=FEW)
    def delete_all_notifications(self, who: int) -> None:
        """DELETE /notifications/all."""
        self.send(who, "DELETE", "/notifications/all")

    @invariant()
    def every_counter_equals_its_recount(self) -> None:
        """Recount all counters."""
        assert drift(self.forum.database) == []

    def teardown(self) -> None:
        """The service's own check finds nothing, too."""
        with self.forum.database.reads.connect() as db:
            assert recount.wrong(db) == []
            assert db.execute(recount.orphans()).all() == []


def test_any_sequence_of_actions_leaves_every_counter_equal_to_a_recount(forum: Forum) -> None:
    run_state_machine_as_test(
        cast("type[Community]", partial(Community, forum)),
        settings=settings(
            max_examples=5,
            stateful_step_count=40,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
