"""After any sequence of requests, every counter equals its recount."""

from functools import partial
from random import Random
from typing import cast

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
from tests.functional.storm import LOGINS, Storm

DOINGS = (
    *("open_topic", "edit_topic", "delete_topic", "reply", "edit_reply", "delete", "act", "act"),
    *("like", "relate", "relate_to_user", "tidy"),
)
"""Methods of `Storm`."""


class Community(RuleBasedStateMachine):
    """Three members and two maintainers who change a few topics and replies at random."""

    def __init__(self, forum: Forum) -> None:
        """Begin in an empty forum."""
        super().__init__()
        self.forum = forum

    @initialize()
    def gather(self) -> None:
        """Create the users, two nodes, and what they write about."""
        databases.delete_all_rows(self.forum.database)
        people = [self.forum.person(login) for login in LOGINS[:3]]
        people += [self.forum.person(login, role="maintainer") for login in (LOGINS[3], "mod")]
        nodes = [self.forum.node("One"), self.forum.node("Two")]
        topics = [self.forum.topic(person, nodes[0]) for person in people[:2]]
        replies = [self.forum.reply(people[1], topics[0])]
        self.storms = [Storm(self.forum, each, 0, nodes, topics, replies) for each in people]

    @rule(who=st.integers(0, 4), doing=st.sampled_from(DOINGS), choices=st.randoms())
    def send(self, who: int, doing: str, choices: Random) -> None:
        """Send a request as a user; a refusal is fine, a server error fails."""
        storm = self.storms[who]
        storm.choices = choices
        answer = getattr(storm, doing)()
        assert answer.status_int in (200, 201, 403, 404), (doing, answer.text)
        if doing == "open_topic":
            storm.topics.append(answer.json["id"])

    @invariant()
    def every_counter_equals_its_recount(self) -> None:
        """Recount all counters."""
        assert drift(self.forum.database) == []

    def teardown(self) -> None:
        """The service's own check finds nothing, too."""
        with self.forum.database.reads.connect() as db:
            assert recount.wrong(db) == []
            assert db.execute(recount.orphans()).all() == []


@pytest.mark.extended
def test_any_sequence_of_actions_leaves_every_counter_equal_to_a_recount(forum):
    run_state_machine_as_test(
        cast("type[Community]", partial(Community, forum)),
        settings=settings(
            max_examples=5,
            stateful_step_count=120,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
