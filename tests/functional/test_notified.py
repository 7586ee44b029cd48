"""Who is notified of what, and who is not: a table of what people do."""

from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.functional.forum import Forum, Person
from tests.functional.notifications import types

pytestmark = pytest.mark.usefixtures("advancing_clock")

CASES = yaml.safe_load(Path(__file__).with_name("notified.yaml").read_text("utf-8"))


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
