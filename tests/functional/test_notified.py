"""Who is notified of what, and who is not: a table of what people do."""

from dataclasses import dataclass

import pytest

from tests.functional.forum import Forum, Person
from tests.functional.notifications import types

pytestmark = pytest.mark.usefixtures("advancing_clock")

FOLLOW, UNFOLLOW = "POST /users/alice/follow", "POST /users/alice/unfollow"
CASES = [
    # A new topic and a new reply.
    (["bob POST /users/alice/follow", "alice open"], "bob Topic, alice Follow"),
    (["carol POST /topics/{topic}/follow", "bob reply"], "carol TopicReply, alice TopicReply"),
    (["carol POST /users/bob/follow", "bob reply"], "bob Follow, alice TopicReply"),
    (["alice POST /topics/{topic}/follow", "bob reply"], "alice TopicReply"),
    (["bob POST /users/alice/block", "bob reply"], "alice TopicReply"),
    (
        ["alice POST /users/bob/block", "alice POST /users/bob/unblock", "bob reply"],
        "alice TopicReply",
    ),
    # What people do themselves.
    (
        [
            *("alice open I am @alice", "alice POST /topics/{topic}/follow"),
            *("alice reply Still @alice", "alice rewrite Ever @alice!", "alice move @alice?"),
        ],
        "",
    ),
    # Whom they block.
    (
        [
            *("alice POST /users/chief/follow", "alice POST /users/chief/block"),
            *("chief POST /users/alice/follow", "chief reply @alice", "chief rewrite Dear @alice"),
            *("chief move By @alice", "chief open @alice"),
        ],
        "chief Follow",
    ),
    # Follows.
    ([f"bob {FOLLOW}", f"bob {UNFOLLOW}", f"bob {FOLLOW}"], "alice Follow"),
    ([f"bob {FOLLOW}", "alice DELETE /notifications/all", f"bob {UNFOLLOW}", f"bob {FOLLOW}"], ""),
    (["alice POST /users/bob/block", f"bob {FOLLOW}"], ""),
    (
        [
            *("alice POST /users/bob/block", f"bob {FOLLOW}", "alice POST /users/bob/unblock"),
            *(f"bob {UNFOLLOW}", f"bob {FOLLOW}"),
        ],
        "alice Follow",
    ),
    # Moves and edits.
    (["chief edit Better"], ""),
    (["chief move Moved, @alice"], "alice Mention"),
    (["alice edit @bob", "alice edit @bob @carol"], "bob Mention, carol Mention"),
    (["alice reply @bob", "alice rewrite @bob @carol"], "bob Mention, carol Mention"),
    (
        [
            *("alice edit @bob", "alice reply @bob", "bob DELETE /notifications/all"),
            *("alice edit Dear @bob", "alice rewrite Dear @bob"),
        ],
        "",
    ),
    (
        [
            *("bob POST /users/alice/block", "alice edit @bob", "bob POST /users/alice/unblock"),
            "alice edit Dear @bob",
        ],
        "",
    ),
    (
        ["chief reply", "chief POST /topics/{topic}/ban", "chief edit @bob", "chief rewrite @bob"],
        "",
    ),
    # A mention wins.
    (
        ["carol POST /topics/{topic}/follow", "bob reply @alice @carol @CAROL"],
        "alice Mention, carol Mention",
    ),
    (["bob POST /users/alice/follow", "alice open @bob"], "bob Mention, alice Follow"),
]
"""What is done about alice's topic, and who has which notifications in the end; others none."""


@dataclass
class Scene:
    """People, and the latest topic and reply."""

    forum: Forum
    people: dict[str, Person]
    nodes: tuple[int, int]
    topic: int
    reply: int = 0

    def do(self, step: str) -> None:
        login, deed, *rest = step.split(" ", 2)
        who, text = self.people[login], rest[0] if rest else "B"
        form = {"title": "T", "body": text, "node_id": self.nodes[deed == "move"]}
        match deed:
            case "open":
                self.topic = self.forum.topic(who, self.nodes[0], body=text)
            case "reply":
                self.reply = self.forum.reply(who, self.topic, text)
            case "edit" | "move":
                assert who.put(f"/topics/{self.topic}", **form).status_int == 200
            case "rewrite":
                assert who.post(f"/replies/{self.reply}", body=text).status_int == 200
            case method:
                path = text.format(topic=self.topic)
                assert who.call(method, path).status_int == 200


@pytest.mark.parametrize(("steps", "notified"), CASES, ids=lambda part: str(part)[:60])
def test_those_are_notified_whom_it_concerns_and_no_others(forum, steps, notified):
    people = {login: forum.person(login) for login in ("alice", "bob", "carol")}
    people["chief"] = forum.person("chief", role="admin")
    nodes = forum.node("One"), forum.node("Two")
    scene = Scene(forum, people, nodes, forum.topic(people["alice"], nodes[0]))
    for step in steps:
        scene.do(step)
    seen = {login: types(person) for login, person in people.items()}
    expected: dict[str, list[str]] = {login: [] for login in people}
    for entry in filter(None, notified.split(", ")):
        login, kind = entry.split(" ")
        expected[login].append(kind)
    assert seen == expected
