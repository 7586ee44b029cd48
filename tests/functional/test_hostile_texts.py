"""Every text that a client may send, in the API: never a 5xx, and no answer takes long."""

from collections.abc import Iterator
from typing import Any

import pytest

from forumsvc.models import Reply, Topic
from tests.databases import on_postgresql
from tests.functional.conftest import MakeForum
from tests.functional.forum import API, Forum
from tests.functional.hostile_texts import TEXTS, faults
from tests.functional.test_search_index import found, work
from tests.openapi.operations import Operation, operations, resolve

_SCOPE = "read write moderate"


@pytest.fixture
def forum(make_forum: MakeForum) -> Forum:
    """A forum that looks at words, and counts no requests."""
    return make_forum(
        posts__held_words="casino, 赌场",
        posts__forbidden_words="viagra, 伟哥",
        rate_limit__requests="off",
        markup__user_seconds_per_minute="60",
        accounts__registration="open",
    )


def _is_text(schema: dict[str, Any]) -> bool:
    kinds = [resolve(one) for one in schema.get("anyOf", (schema,))]
    return any("string" in one.get("type", ()) and "enum" not in one for one in kinds)


def text_fields() -> Iterator[tuple[Operation, str, bool]]:
    """Return each operation with each of its fields and parameters that are texts.

    The third value is whether it is a parameter of the query.
    """
    for operation in operations():
        forms = [form.get("properties", {}) for form in operation.forms.values()]
        names = {
            name for form in forms for name, schema in form.items() if _is_text(resolve(schema))
        }
        yield from ((operation, name, False) for name in sorted(names))
        for name, parameter in operation.query.items():
            if _is_text(resolve(parameter["schema"])) and name not in names:
                yield operation, name, True


@on_postgresql
def test_no_text_fails_or_takes_long_and_the_search_takes_them_all(forum):
    author, node = forum.person("author"), forum.node()
    innocent = forum.topic(forum.person("innocent"), node, "A paddle")
    topic = forum.topic(author, node)
    reply = forum.reply(author, topic)
    author.post("/reports", obj_type="reply", obj_id=reply, category="spam")
    ids = {"topic_id": topic, "reply_id": reply, "user_id": author.id, "node_id": node}
    others = {
        "title": "A title",
        "body": "A text",
        "node_id": node,
        "obj_type": "topic",
        "obj_id": topic,
        "category": "other",
        "decision": "dismiss",
        "value": "192.0.2.7",
        "login": "somebody",
        "email": "somebody@example.org",
        "password": "tangled-wire-77",
        "type": "excellent",
        "url": "https://example.org/",
        "events": "topic.created",
    }
    wrong, fields = [], 0
    for operation, name, in_query in text_fields():
        fields += 1
        # A new one for each: a text may change the password, or silence who sends it.
        person = forum.person(f"person{fields}", role="admin", scope=_SCOPE)
        known = {one["name"]: ids.get(one["name"], 1) for one in operation.parameters}
        path = operation.path.removeprefix(API).format(**known)
        names = {one for form in operation.forms.values() for one in form.get("properties", ())}
        rest = {one: others[one] for one in sorted(names & set(others))}

        def send(text: str) -> Any:
            values = {name: text} if in_query else {**rest, name: text}  # noqa: B023
            # As a form whatever the method, but for GET: an address has a length of its own.
            if operation.method == "get":  # noqa: B023
                values = {name: text[:2_000]}  # noqa: B023
            return person.call(operation.method, path, values)  # noqa: B023

        wrong += faults(f"{operation} {name}", send)
    assert fields > 60
    assert wrong == [], "\n".join(wrong)
    assert forum.count(Topic) + forum.count(Reply) > 2 * len(TEXTS)
    work(forum.database)
    assert found(forum.nobody, q="paddle") == [innocent]
